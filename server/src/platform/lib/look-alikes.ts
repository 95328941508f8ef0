/** Letters of other scripts that look like Latin letters. Unicode normalisation does not map them. Pairs: a letter and its Latin form. */
const PAIRS = `аa вb еe кk мm нh оo рp сc тt уy хx іi їi јj ѕs ԁd һh ԛq ԝw ӏl ɡg ıi ɴn ʀr ɪi ʟl ᴇe ᴏo ᴀa ᴛt ᴜu ꜱs αa εe ιi κk νv οo ρp τt υu χx γy
  АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЇI ЈJ ЅS ԌG ԚQ ԜW ӀI ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ԱU ՕO ՏS ՍU`

export const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  PAIRS.split(/\s+/).map((pair) => [pair.charAt(0), pair.charAt(1)]),
)

const LETTERS = [...LOOK_ALIKES.keys()].join('')
/** A look-alike next to a Latin letter or underscore, or two of them before digits, as at the start of a bank account number. */
const MIXED = new RegExp(`[A-Za-z_][${LETTERS}]|[${LETTERS}][A-Za-z_]|[${LETTERS}]{2}\\d\\d`)
/** The Latin form of each unit; 0: no look-alike. */
const LATIN = new Uint16Array(0x10000)
for (const [letter, latin] of LOOK_ALIKES) LATIN[letter.charCodeAt(0)] = latin.charCodeAt(0)

/** A loop over the table is several times as fast as an expression with these letters, and few texts have one. */
function hasLookAlike(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (LATIN[text.charCodeAt(at)]) return true
  return false
}

const isAsciiWord = (unit: number): boolean =>
  ((unit | 32) >= 0x61 && (unit | 32) <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f

/** The Latin form of a word of several scripts; another word as it is. */
function latinWord(word: string): string {
  if (!MIXED.test(word)) return word
  let latin = ''
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at)
    latin += String.fromCharCode(LATIN[unit] || unit)
  }
  return latin
}

/**
 * Replaces look-alikes in words that are a mixture of scripts: `раypal` with Cyrillic letters becomes `paypal`. Words of one script
 * stay. Each letter becomes one letter, so positions stay the same.
 */
export function withoutLookAlikes(text: string): string {
  if (!hasLookAlike(text) || !MIXED.test(text)) return text
  let result = ''
  let copied = 0
  let start = 0
  let isMarked = false
  for (let at = 0; at <= text.length; at++) {
    const unit = text.charCodeAt(at)
    if (LATIN[unit]) isMarked = true
    else if (!isAsciiWord(unit)) {
      if (isMarked) {
        result += text.slice(copied, start) + latinWord(text.slice(start, at))
        copied = at
        isMarked = false
      }
      start = at + 1
    }
  }
  return result + text.slice(copied)
}
