/** What happened in a seed, in the order of its time: told where something failed, and digested to see that a seed replays exactly. */
import crypto from 'node:crypto';
import { START } from './scheduler';

export class Story {
  private readonly events: { at: number; who: string; text: string }[] = [];

  constructor(private readonly time: { readonly now: number }) {}

  say(who: string, text: string): void {
    this.events.push({ at: this.time.now, who, text });
  }

  count(isMeant: (text: string) => boolean): number {
    return this.events.filter(({ text }) => isMeant(text)).length;
  }

  /** Equal for equal stories. */
  digest(): string {
    const hash = crypto.createHash('sha1');
    for (const { at, who, text } of this.events) {
      hash.update(`${at} ${who} ${text}\n`);
    }
    return hash.digest('hex');
  }

  all(): string[] {
    return this.events.map(line);
  }

  /** The end of it, as far as it concerns a resource (all of them, if it is not given) and what befell the processes. */
  about(name: string | undefined): string[] {
    const key = this.events
      .find(({ text }) => name && text.includes(`(${name})`))
      ?.text.match(/\S+\/\S+/)?.[0];
    return this.events
      .filter(
        ({ who, text }) =>
          !name ||
          who === 'CHECK' ||
          who === 'WORLD' ||
          new RegExp(`\\b${name}\\b`).test(text) ||
          (key && text.includes(key)) ||
          /^(dies|starts|is stopped|is shut down|logs)/.test(text),
      )
      .slice(-70)
      .map(line);
  }
}

function line({ at, who, text }: { at: number; who: string; text: string }) {
  const seconds = ((at - START) / 1000).toFixed(3);
  return `${seconds.padStart(9)} s  ${who.padEnd(18)} ${text}`;
}
