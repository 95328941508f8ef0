import { foldAt, foldWord, POSSIBLE_END } from './fold.ts'

const words = (list: string): string => list.split(' ').map(foldWord).join('|')

/** The main phrases without spaces: `ignoreallpreviousinstructions`, `I G N O R E  A L L …`. */
const GLUED = new RegExp(
  [
    `(?:${words('ignore disregard forget override bypass')})(?:${words('all any every of the your my these those prior previous above preceding earlier system')}){1,6}(?:${words('instruction prompt rule guideline directive order')})s?`,
    `(?:${words('reveal show print repeat output leak')})(?:${words('me us all of the your full entire system hidden initial')}){1,6}(?:${words('prompt instruction')})s?`,
    `(?:${words('doanythingnow')})`,
  ].join('|'),
)

/** Maximum number of letters that are read. */
const MAX_LETTERS = 400

/** Whether the letters of `text` from `start` to `end`, joined, contain an injection. */
export function isGlued(text: string, start: number, end: number): boolean {
  let letters = ''
  for (let at = start; at < end && letters.length < MAX_LETTERS; at++) {
    const unit = foldAt(text, at)
    if (unit > POSSIBLE_END) letters += String.fromCharCode(unit)
  }
  return GLUED.test(letters)
}
