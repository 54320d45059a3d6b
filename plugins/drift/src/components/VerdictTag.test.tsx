import { render, screen } from '@testing-library/react';
import { VERDICTS } from '@plumbline/drift-engine';
import { Sentence } from './Sentence';
import { VERDICT_LOOKS, VERDICT_ORDER, countsInOrder } from './verdicts';
import { VerdictTag } from './VerdictTag';

describe('verdicts', () => {
  it('has a look for each, once', () => {
    expect([...VERDICT_ORDER].sort()).toEqual([...VERDICTS].sort());
    const labels = VERDICT_ORDER.map(each => VERDICT_LOOKS[each].label);
    expect(new Set(labels).size).toBe(labels.length);
    const icons = VERDICT_ORDER.map(each => VERDICT_LOOKS[each].Icon);
    expect(new Set(icons).size).toBe(icons.length);
  });

  it('never shows Unknown in the tone of InSync', () => {
    expect(VERDICT_LOOKS.Unknown.tone).not.toBe(VERDICT_LOOKS.InSync.tone);
    expect(
      VERDICT_ORDER.filter(each => VERDICT_LOOKS[each].tone === 'success'),
    ).toEqual(['InSync']);
  });

  it('shows icon, text and meaning', () => {
    render(<VerdictTag verdict="NonConvergent" count={4} />);
    const tag = screen.getByTitle(/acknowledged, yet a fresh read/);
    expect(tag).toHaveTextContent('Not converging 4');
    expect(tag.querySelector('svg')).toHaveAttribute('aria-hidden', 'true');
  });

  it('orders counts worst first, without zeros and without what it does not know', () => {
    expect(
      countsInOrder({
        InSync: 3,
        Drifted: 1,
        Missing: 0,
        Conflicted: 2,
        New: 1,
      }),
    ).toEqual([
      ['Conflicted', 2],
      ['Drifted', 1],
      ['InSync', 3],
    ]);
  });
});

describe('Sentence', () => {
  it('shows what stands in back quotes as code', () => {
    const { container } = render(<Sentence>has `retries` 9</Sentence>);
    expect(container).toHaveTextContent('has retries 9');
    expect(screen.getByText('retries').tagName).toBe('CODE');
  });

  it('leaves a lone back quote alone', () => {
    const { container } = render(<Sentence>a ` b</Sentence>);
    expect(container).toHaveTextContent('a ` b');
  });
});
