/** Guards: each can hold a write, none can force one (rule 8). Pure; the answers are stored with the decision. */
import type { Action } from '@plumbline/drift-engine';
import type { PolicyInForce } from '../policy/policy';
import type { GuardAnswer, Millis, ScopeRow } from '../store/rows';

/** What guards are asked about. */
export interface WriteInQuestion {
  action: Action;
  title: string;
  /** A person chose this; otherwise the loop acts by itself. */
  byPerson: boolean;
  inForce: PolicyInForce;
  readOnly?: string;
  deleting?: boolean;
  /** The live object belongs to another object. */
  controlled?: boolean;
  platform?: ScopeRow;
  source?: ScopeRow;
  /** The platform asked for silence until then. */
  closedUntil?: Millis;
  /** Counts on the platform, for deletes. */
  orphans?: { orphaned: number; total: number };
  pruneLimits: { maxItems: number; maxPercent: number };
  /** The controller that owns it was asked, and gets until then to act. */
  controllerHasUntil?: Millis;
  /** A create whose answer was lost may still land until then. */
  createInFlightUntil?: Millis;
  now: Millis;
}

interface Guard {
  name: string;
  /** Why the write is held, or undefined. */
  holds(write: WriteInQuestion): string | undefined;
  /** What is said where it does not hold. */
  passes: string;
}

const GUARDS: Guard[] = [
  {
    name: 'paused',
    passes: 'Not paused.',
    holds: ({ inForce: { policy, pause } }) =>
      policy.paused
        ? `Paused by ${pause?.label ?? 'policy'}${
            pause?.until ? ` until ${new Date(pause.until).toISOString()}` : ''
          }${pause?.reason ? `: ${pause.reason}` : ''}.`
        : undefined,
  },
  {
    name: 'readOnly',
    passes: 'The declaration may be written.',
    holds: ({ readOnly }) => readOnly,
  },
  {
    name: 'mode',
    passes: 'The mode allows it.',
    holds: ({ inForce: { policy, modeLabel }, byPerson }) => {
      if (policy.mode === 'observe') {
        return `Mode is observe (by ${modeLabel}): nothing is ever written.`;
      }
      if (policy.mode === 'ask' && !byPerson) {
        return `Mode is ask (by ${modeLabel}): each write waits for a person.`;
      }
      return undefined;
    },
  },
  {
    name: 'deletingDeclaration',
    passes: 'The declaration stands.',
    holds: ({ deleting }) =>
      deleting
        ? 'The declaration is being deleted: nothing is written any more.'
        : undefined,
  },
  {
    name: 'budget',
    passes: 'The platform takes requests.',
    holds: ({ closedUntil, now }) =>
      closedUntil !== undefined && closedUntil > now
        ? `The platform asked for silence until ${new Date(
            closedUntil,
          ).toISOString()}.`
        : undefined,
  },
  {
    name: 'platformHealth',
    passes: 'The last reads in bulk were complete.',
    holds: ({ platform, source, byPerson, action }) => {
      // a person looks at this one resource, and both its sides were read freshly; a delete needs more than that
      if (byPerson && action !== 'delete') return undefined;
      const unsound = [platform, source].find(
        scope =>
          scope && (scope.failures > 0 || scope.lastCompleteAt === undefined),
      );
      if (!unsound) return undefined;
      return unsound.lastCompleteAt === undefined
        ? `${unsound.title} has not been read completely yet.`
        : `The last read of ${unsound.title} was not complete${
            unsound.message ? `: ${unsound.message}` : '.'
          }`;
    },
  },
  {
    name: 'createInFlight',
    passes: 'No earlier create is on its way.',
    holds: ({ createInFlightUntil, now }) =>
      createInFlightUntil !== undefined && createInFlightUntil > now
        ? `An earlier create, whose answer was lost, may still land until ${new Date(
            createInFlightUntil,
          ).toISOString()}.`
        : undefined,
  },
  {
    name: 'controllerAtWork',
    passes: 'No controller was asked just now.',
    holds: ({ action, controllerHasUntil, now }) =>
      action === 'nudge' &&
      controllerHasUntil !== undefined &&
      controllerHasUntil > now
        ? `The controller that owns it was asked and gets until ${new Date(
            controllerHasUntil,
          ).toISOString()} to act.`
        : undefined,
  },
  {
    name: 'controlledObject',
    passes: 'No other object owns it.',
    holds: ({ action, controlled }) =>
      action === 'delete' && controlled
        ? 'Another object owns it (ownerReferences): deleting it is the business of that owner.'
        : undefined,
  },
  {
    name: 'pruneFloor',
    passes: 'Something stays declared.',
    holds: ({ action, orphans }) =>
      action === 'delete' && orphans && orphans.orphaned >= orphans.total
        ? 'Nothing on this platform is declared any more: everything at once is never deleted.'
        : undefined,
  },
  {
    name: 'pruneCeiling',
    passes: 'Few enough at once.',
    holds: ({ action, orphans, pruneLimits, byPerson }) => {
      if (action !== 'delete' || byPerson || !orphans) return undefined;
      const { orphaned, total } = orphans;
      const most = Math.max(
        1,
        Math.min(
          pruneLimits.maxItems,
          Math.floor((total * pruneLimits.maxPercent) / 100),
        ),
      );
      return orphaned > most
        ? `${orphaned} of ${total} resources would go at once and at most ${most} may: each waits for a person.`
        : undefined;
    },
  },
];

/** Every guard's answer, in order. */
export function askGuards(write: WriteInQuestion): GuardAnswer[] {
  return GUARDS.map(guard => {
    const held = guard.holds(write);
    return {
      guard: guard.name,
      holds: held !== undefined,
      message: held ?? guard.passes,
    };
  });
}

/** The first that holds, or undefined where the write may go ahead. */
export function firstHolding(answers: GuardAnswer[]): GuardAnswer | undefined {
  return answers.find(answer => answer.holds);
}
