// A failure that is explained by its message alone; its stack would tell the reader nothing.
export class ToolchainError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.name = 'ToolchainError';
    this.exitCode = exitCode;
  }
}
