import { act, renderHook } from '@testing-library/react';
import { TestApiProvider } from '@backstage/frontend-test-utils';
import { signalApiRef } from '@backstage/plugin-signals-react';
import { FakeSignals } from '../__testUtils__/render';
import { POLL_MILLISECONDS, useLive } from './useLive';

function setVisible(isVisible: boolean) {
  Object.defineProperty(document, 'visibilityState', {
    configurable: true,
    get: () => (isVisible ? 'visible' : 'hidden'),
  });
}

function renderLive(load: () => Promise<string>) {
  const signals = new FakeSignals();
  const result = renderHook(({ load: current }) => useLive(current), {
    initialProps: { load },
    wrapper: ({ children }) => (
      <TestApiProvider apis={[[signalApiRef, signals]]}>
        {children}
      </TestApiProvider>
    ),
  });
  return { ...result, signals };
}

const pass = (milliseconds: number) =>
  act(() => jest.advanceTimersByTimeAsync(milliseconds));

describe('useLive', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    setVisible(true);
  });
  afterEach(() => jest.useRealTimers());

  it('loads at once, and again every 15 s', async () => {
    let count = 0;
    const load = async () => {
      count += 1;
      return `answer ${count}`;
    };
    const { result } = renderLive(load);
    expect(result.current.loading).toBe(true);
    await pass(0);
    expect(result.current).toMatchObject({ loading: false, value: 'answer 1' });
    await pass(POLL_MILLISECONDS);
    expect(result.current.value).toBe('answer 2');
  });

  it('rests while the browser tab is hidden, and catches up when it is shown', async () => {
    const load = jest.fn(async () => 'answer');
    renderLive(load);
    await pass(0);
    setVisible(false);
    await pass(10 * POLL_MILLISECONDS);
    expect(load).toHaveBeenCalledTimes(1);
    setVisible(true);
    act(() => {
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await pass(0);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('answers many signals at once by one load', async () => {
    const load = jest.fn(async () => 'answer');
    const { signals } = renderLive(load);
    await pass(0);
    for (let index = 0; index < 50; index++)
      signals.send({ ids: [`${index}`] });
    await pass(1_000);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('keeps the value when a load fails, and recovers', async () => {
    const load = jest
      .fn<Promise<string>, []>()
      .mockResolvedValueOnce('first')
      .mockRejectedValueOnce(new Error('down'))
      .mockResolvedValueOnce('third');
    const { result } = renderLive(load);
    await pass(0);
    await pass(POLL_MILLISECONDS);
    expect(result.current).toMatchObject({
      value: 'first',
      error: new Error('down'),
    });
    await pass(POLL_MILLISECONDS);
    expect(result.current).toMatchObject({ value: 'third', error: undefined });
  });

  it('drops an old answer that comes after a newer question', async () => {
    let answerOld: (text: string) => void = () => {};
    const { result, rerender } = renderLive(
      () =>
        new Promise(resolve => {
          answerOld = resolve;
        }),
    );
    const loadNew = async () => 'new';
    rerender({ load: loadNew });
    await pass(0);
    await act(async () => answerOld('old'));
    expect(result.current.value).toBe('new');
  });

  it('never shows the value of another question', async () => {
    const { result, rerender } = renderLive(async () => 'one');
    await pass(0);
    rerender({ load: () => new Promise<string>(() => {}) });
    expect(result.current).toMatchObject({ value: undefined, loading: true });
  });

  it('shows what an action answered until the next load', async () => {
    const load = jest.fn(async () => 'loaded');
    const { result } = renderLive(load);
    await pass(0);
    act(() => result.current.set('answered'));
    expect(result.current.value).toBe('answered');
    await pass(POLL_MILLISECONDS);
    expect(result.current.value).toBe('loaded');
  });
});
