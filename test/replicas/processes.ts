/** The processes of a run: started, stopped, killed, and none left behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';

const NODE_TRANSFORM = require.resolve(
  '@backstage/cli/config/nodeTransform.cjs',
);

export class Processes {
  private readonly running = new Set<ChildProcess>();
  private readonly atExit = () => this.killAll();

  constructor() {
    process.once('exit', this.atExit);
  }

  /** Runs a program of this folder from its source; what it prints goes to a file. */
  start(program: string, args: string[], logFile: string): ChildProcess {
    const log = openSync(logFile, 'a');
    const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: 'development' };
    // Jest's own settings are not the replicas'
    delete env.NODE_OPTIONS;
    delete env.JEST_WORKER_ID;
    const child = spawn(
      process.execPath,
      ['--require', NODE_TRANSFORM, resolve(__dirname, program), ...args],
      {
        // the repository's root, as the transform wants it
        cwd: resolve(__dirname, '../..'),
        env,
        stdio: ['ignore', log, log, 'ipc'],
      },
    );
    closeSync(log);
    this.running.add(child);
    child.once('exit', () => this.running.delete(child));
    return child;
  }

  /** SIGKILL reaches also what is stopped. */
  killAll(): void {
    for (const child of this.running) child.kill('SIGKILL');
  }

  async end(): Promise<void> {
    const gone = [...this.running].map(
      child => new Promise<void>(done => child.once('exit', () => done())),
    );
    this.killAll();
    await Promise.all(gone);
    process.removeListener('exit', this.atExit);
  }
}
