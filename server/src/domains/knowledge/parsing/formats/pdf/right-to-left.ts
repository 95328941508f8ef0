const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const LEFT_TO_RIGHT = /[\p{L}\p{N}]/u
const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '<': '>',
  '>': '<',
  '«': '»',
  '»': '«',
}

export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text)

/** Turns a line from the order of its letters on the page into the order in which it is read, for Hebrew and Arabic. */
export function logicalOrder(line: string): string {
  if (!RIGHT_TO_LEFT.test(line)) return line
  const letters = line.match(/\P{M}\p{M}*/gu) ?? []
  const right = letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).length
  const left = letters.filter((letter) => isLeft(letter)).length
  return right * 2 >= left ? reversed(letters, isLeft, true).join('') : reversed(letters, isRight, false).join('')
}

const isRight = (letter: string): boolean => RIGHT_TO_LEFT.test(letter)
const isLeft = (letter: string): boolean => LEFT_TO_RIGHT.test(letter) && !isRight(letter)

/** Reverses the runs of `other` letters with what is between them, after the whole line if it runs from the right. */
function reversed(letters: readonly string[], isOther: (letter: string) => boolean, whole: boolean): readonly string[] {
  const line = whole ? [...letters].reverse().map((letter) => MIRRORED[letter] ?? letter) : [...letters]
  const result: string[] = []
  const isEnd = whole ? isRight : isLeft
  for (let start = 0; start < line.length; ) {
    if (!isOther(line[start] ?? '')) {
      result.push(line[start] ?? '')
      start += 1
      continue
    }
    let last = start
    for (let at = start + 1; at < line.length && !isEnd(line[at] ?? ''); at += 1) if (isOther(line[at] ?? '')) last = at
    for (let at = last; at >= start; at -= 1) {
      const letter = line[at] ?? ''
      result.push(whole ? (MIRRORED[letter] ?? letter) : letter)
    }
    start = last + 1
  }
  return result
}
