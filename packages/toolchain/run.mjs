// Entry of every root script: brings the project's own Node and Yarn, installs what is missing, then runs one task
// under that Node. Runs on whatever Node starts it (18 or later), so it uses nothing but Node's built-in modules.
import { installDependencies } from './src/launch/dependencies.mjs';
import { taskEnvironment } from './src/launch/environment.mjs';
import { ToolchainError } from './src/launch/errors.mjs';
import { exitCodeOf, runInGroup } from './src/launch/group.mjs';
import { say } from './src/launch/progress.mjs';
import { stopWithScriptRunner } from './src/launch/script-runner.mjs';
import { bringTools } from './src/launch/tools.mjs';
import { paths } from './src/project.mjs';
import { describeTasks, findTask } from './src/tasks.mjs';

async function main([name, ...args]) {
  if (name === 'help' || name === '--help') {
    process.stdout.write(`${describeTasks()}\n`);
    return 0;
  }
  if (!findTask(name)) {
    const problem = name ? `There is no task "${name}".` : 'Name a task.';
    process.stderr.write(`${problem}\n\n${describeTasks()}\n`);
    return 2;
  }
  stopWithScriptRunner();
  const tools = await bringTools();
  await installDependencies(tools);
  const outcome = await runInGroup(tools.node, [paths.leader, name, ...args], {
    env: taskEnvironment(tools),
    deadManPipe: true,
  });
  return exitCodeOf(outcome);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ToolchainError)) throw error;
  say(error.message);
  process.exitCode = error.exitCode;
}
