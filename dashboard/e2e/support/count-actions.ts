import type { Page } from 'playwright-core'

/** Actions of a person in a window. */
export interface Actions {
  /** Presses of the mouse. */
  readonly clicks: number
  /** Fields that get text. */
  readonly fields: number
  /** Keys outside of text fields, and Enter and Escape. */
  readonly keys: number
}

/** Runs in the page: reports each action that really reached it. */
const REPORT_ACTIONS = `(() => {
  let field
  const isTyped = (target) => target instanceof Element && target.matches('textarea, [contenteditable=true], input:not([type=checkbox], [type=radio])')
  // Playwright stops presses that would hit something else at the window, and repeats them.
  document.addEventListener('pointerdown', ({ isTrusted }) => { field = undefined; if (isTrusted) noteAction('clicks') }, true)
  addEventListener('focusin', () => { field = undefined }, true)
  addEventListener('input', ({ target }) => { if (isTyped(target) && target !== field) { field = target; noteAction('fields') } }, true)
  addEventListener('keydown', ({ key, isTrusted, target }) => {
    if (isTrusted && (!isTyped(target) || key === 'Enter' || key === 'Escape')) noteAction('keys')
  }, true)
})()`

/** Counts the actions in the window. Returns those since the last call. Call it before the first visit. */
export async function countActions(page: Page): Promise<() => Actions> {
  let counts = { clicks: 0, fields: 0, keys: 0 }
  await page.exposeFunction('noteAction', (kind: keyof Actions) => {
    counts = { ...counts, [kind]: counts[kind] + 1 }
  })
  await page.addInitScript(REPORT_ACTIONS)
  return () => {
    const taken = counts
    counts = { clicks: 0, fields: 0, keys: 0 }
    return taken
  }
}
