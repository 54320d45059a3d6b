/** What the driver asks of the process with the stand-ins. */
import type { ChildProcess } from 'node:child_process';
import type { Thing, ThingKind } from './world';

export type Order =
  | { do: 'seed'; things: Thing[] }
  | {
      do: 'editLive';
      thing: Thing;
      path: string[];
      value: number | string | boolean;
    }
  | { do: 'deleteLive'; thing: Thing }
  | { do: 'declare'; thing: Thing; value: number }
  | { do: 'declareNew'; thing: Thing; value: number }
  | { do: 'undeclare'; thing: Thing }
  | { do: 'look' };

export interface OrderAnswer {
  /** 0: it is ready, and says where it is. */
  id: number;
  value?: unknown;
  error?: string;
}

/** The stand-ins' tokens, the same for all replicas. */
export const KONNECT_TOKEN = 'kpat_replicas';
export const KUBERNETES_TOKEN = 'replicas';

/** Where each replica finds the stand-ins. */
export type Endpoints = Record<string, { konnect: string; kubernetes: string }>;

/** All live entities and objects, whole. */
export type LiveState = Record<ThingKind, Record<string, unknown>[]>;

/** Sends orders to the process and hands back the answers. */
export class Orders {
  private last = 0;
  private readonly waiting = new Map<
    number,
    { resolve(value: unknown): void; reject(error: Error): void }
  >();

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message: OrderAnswer) => {
      const waiter = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error !== undefined) waiter?.reject(new Error(message.error));
      else waiter?.resolve(message.value);
    });
    child.once('exit', code => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error(`The sandbox ended with code ${code}`));
      }
    });
  }

  /** Waits until it is ready. */
  static async to(
    child: ChildProcess,
  ): Promise<{ orders: Orders; endpoints: Endpoints }> {
    const orders = new Orders(child);
    const endpoints = (await orders.answerTo(0)) as Endpoints;
    return { orders, endpoints };
  }

  send(order: Extract<Order, { do: 'look' }>): Promise<LiveState>;
  send(
    order: Extract<Order, { do: 'editLive' | 'deleteLive' }>,
  ): Promise<boolean>;
  send(order: Order): Promise<unknown>;
  send(order: Order): Promise<unknown> {
    this.last += 1;
    const answer = this.answerTo(this.last);
    this.child.send({ id: this.last, order });
    return answer;
  }

  private answerTo(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
  }
}
