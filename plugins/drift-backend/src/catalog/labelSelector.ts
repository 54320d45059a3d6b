/** Kubernetes label selectors, as the annotation backstage.io/kubernetes-label-selector holds them. */

/** Whether labels satisfy a selector. */
export type LabelMatcher = (labels: Record<string, string>) => boolean;

const NAME = '[A-Za-z0-9]([A-Za-z0-9_./-]*[A-Za-z0-9])?';
const REQUIREMENT = new RegExp(
  `^(?:(?<absent>!)?(?<key>${NAME})(?:\\s*(?<op>==|=|!=)\\s*(?<value>[A-Za-z0-9_.-]*)|\\s+(?<set>in|notin)\\s*\\((?<values>[^()]*)\\))?)$`,
);

/**
 * Reads a selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by commas.
 *
 * @returns undefined where the text is not a selector, or selects everything: an entity that asks for everything would
 * swallow the resources of all others.
 */
export function parseLabelSelector(text: string): LabelMatcher | undefined {
  const parts = text
    .split(/,(?![^(]*\))/)
    .map(part => part.trim())
    .filter(Boolean);
  if (!parts.length) return undefined;
  const matchers: LabelMatcher[] = [];
  for (const part of parts) {
    const matcher = parseRequirement(part);
    if (!matcher) return undefined;
    matchers.push(matcher);
  }
  return labels => matchers.every(matches => matches(labels));
}

function parseRequirement(text: string): LabelMatcher | undefined {
  const groups = REQUIREMENT.exec(text)?.groups;
  if (!groups) return undefined;
  const { key, absent, op, value, set } = groups;
  if (absent) {
    return op || set ? undefined : labels => labels[key] === undefined;
  }
  if (set) {
    const values = groups.values.split(',').map(item => item.trim());
    return set === 'in'
      ? labels => labels[key] !== undefined && values.includes(labels[key])
      : labels => labels[key] === undefined || !values.includes(labels[key]);
  }
  if (op === '!=') return labels => labels[key] !== value;
  if (op) return labels => labels[key] === value;
  return labels => labels[key] !== undefined;
}
