// Tests that need something from outside: where it is not there, they are skipped and say so in their names.

function named(present: boolean, what: string, title: string): string {
  return present ? title : `LEFT OUT, ${what} not present: ${title}`;
}

/** A test that runs where `present`; elsewhere it is skipped, and its name says that `what` is not present. */
export function itWhere(
  present: boolean,
  what: string,
  title: string,
  check: () => void,
): void {
  const register = present ? it : it.skip;
  register(named(present, what, title), check);
}

/** The same for a group of tests. */
export function describeWhere(
  present: boolean,
  what: string,
  title: string,
  body: () => void,
): void {
  const register = present ? describe : describe.skip;
  register(named(present, what, title), body);
}
