import { useHotkeys } from '@mantine/hooks'

/** Input types in which letters are no text: a switch has the focus after a click, and would keep the letters. */
const WITHOUT_TEXT = ['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'range', 'color']

const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && !WITHOUT_TEXT.includes(target.type)

/** Runs a function when its letter is pressed, unless the focus is in a field for text. */
export const useLetterKeys = (keys: readonly (readonly [letter: string, run: () => void])[]): void =>
  useHotkeys(
    keys.map(([letter, run]) => [
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
