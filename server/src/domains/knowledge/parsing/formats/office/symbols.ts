/** Characters of fonts that hold symbols in place of letters, by their code there. */
const WINGDINGS: Readonly<Record<number, string>> = {
  33: '✏',
  34: '✂',
  40: '☎',
  42: '✉',
  74: '☺',
  76: '☹',
  108: '●',
  109: '❍',
  110: '■',
  111: '☐',
  112: '☐',
  113: '❑',
  114: '❒',
  117: '◆',
  118: '❖',
  119: '◆',
  120: '☒',
  159: '•',
  167: '▪',
  168: '☐',
  171: '★',
  183: '•',
  216: '➢',
  223: '←',
  224: '→',
  225: '↑',
  226: '↓',
  232: '➔',
  239: '⇦',
  240: '⇨',
  243: '⇔',
  251: '✗',
  252: '✓',
  253: '☒',
  254: '☑',
}
const WINGDINGS_2: Readonly<Record<number, string>> = {
  79: '✗',
  80: '✓',
  81: '☒',
  82: '☑',
  83: '☒',
  84: '☒',
  42: '☐',
  163: '☐',
  151: '•',
  152: '•',
}
const SYMBOL_LETTERS = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ'
const SYMBOL_SIGNS: Readonly<Record<number, string>> = {
  163: '≤',
  165: '∞',
  171: '↔',
  172: '←',
  173: '↑',
  174: '→',
  175: '↓',
  176: '°',
  177: '±',
  178: '″',
  179: '≥',
  180: '×',
  181: '∝',
  182: '∂',
  183: '•',
  184: '÷',
  185: '≠',
  186: '≡',
  187: '≈',
  199: '∩',
  200: '∪',
  204: '⊂',
  206: '∈',
  209: '∇',
  210: '®',
  211: '©',
  212: '™',
  213: '∏',
  214: '√',
  215: '·',
  216: '¬',
  217: '∧',
  218: '∨',
  219: '⇔',
  220: '⇐',
  222: '⇒',
  229: '∑',
  242: '∫',
  162: '′',
  164: '⁄',
  188: '…',
  34: '∀',
  36: '∃',
  39: '∋',
  42: '∗',
  45: '−',
  64: '≅',
  92: '∴',
}

/** The character that a symbol font shows for a code, or undefined if that is not known. */
export function symbolOf(code: number, font: string): string | undefined {
  const low = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code
  if (/^wingdings 2$/i.test(font)) return WINGDINGS_2[low]
  if (/^(?:wingdings|webdings)/i.test(font)) return /^wingdings$/i.test(font) ? WINGDINGS[low] : undefined
  if (/^symbol/i.test(font)) return symbol(low)
  return code >= 0xe000 && code <= 0xf8ff ? undefined : String.fromCodePoint(code)
}

/** Greek letters stand at the places of Latin ones; most other signs are those of ASCII. */
function symbol(code: number): string | undefined {
  if (code >= 0x41 && code <= 0x5a) return SYMBOL_LETTERS.charAt(code - 0x41)
  if (code >= 0x61 && code <= 0x7a) return 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ'.charAt(code - 0x61)
  return SYMBOL_SIGNS[code] ?? (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : undefined)
}

const SUPERSCRIPTS = new Map([...'0123456789+-=()ni'].map((from, index) => [from, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ'][index] ?? from]))
const SUBSCRIPTS = new Map([...'0123456789+-=()'].map((from, index) => [from, [...'₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎'][index] ?? from]))

/** `10⁶`, `H₂O`. Text that Unicode has no such characters for is kept as it is. */
export function raised(text: string, position: 'superscript' | 'subscript'): string {
  const map = position === 'superscript' ? SUPERSCRIPTS : SUBSCRIPTS
  const characters = [...text.replaceAll('−', '-')]
  if (characters.every((character) => map.has(character))) return characters.map((character) => map.get(character)).join('')
  return text
}
