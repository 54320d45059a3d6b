/**
 * The `drift` command.
 *
 * @packageDocumentation
 */
export { main, type Output } from './main';
