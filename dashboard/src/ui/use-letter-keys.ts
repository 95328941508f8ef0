import { useHotkeys, useLocalStorage } from '@mantine/hooks'

/** Input types in which letters are no text: a switch has the focus after a click, and would keep the letters. */
const WITHOUT_TEXT = ['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'range', 'color']

const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && !WITHOUT_TEXT.includes(target.type)

/** Whether single keys act. People who dictate, or who press keys by accident, turn them off (WCAG 2.1.4). Kept in the browser. */
export const useLetterKeysOn = () =>
  useLocalStorage({ key: 'gatehouse.letter-keys', defaultValue: true, getInitialValueInEffect: false })

/** Runs a function when its letter is pressed, unless the focus is in a field for text or single keys are off. */
export function useLetterKeys(keys: readonly (readonly [letter: string, run: () => void])[]): void {
  const [isOn] = useLetterKeysOn()
  useHotkeys(
    (isOn ? keys : []).map(([letter, run]) => [
      letter,
      (event) => {
        if (takesText(event.target)) return
        event.preventDefault()
        run()
      },
      { preventDefault: false },
    ]),
    ['TEXTAREA', 'SELECT'],
  )
}
