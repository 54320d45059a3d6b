/**
 * Replays stored decisions: the `drift replay` command, and the function behind it.
 *
 * @packageDocumentation
 */
export { main, type ReplayOutput } from './cli';
export { replayDecision, type Replay, type ReplayDifference } from './replay';
export { replayStored } from './replayStored';
