/** The number in a list's format, as Word and PowerPoint show it. Other formats are shown as decimal numbers. */
export function formatNumber(value: number, format: string): string {
  return FORMATS[format]?.(value) ?? String(value)
}

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  decimalZero: (value) => String(value).padStart(2, '0'),
  lowerLetter: (value) => letters(value).toLowerCase(),
  upperLetter: letters,
  lowerRoman: (value) => roman(value).toLowerCase(),
  upperRoman: roman,
  ordinal: (value) => `${value}${ordinalEnding(value)}`,
  decimalEnclosedCircle: (value) => (value >= 1 && value <= 20 ? String.fromCodePoint(0x245f + value) : String(value)),
  decimalEnclosedCircleChinese: (value) => (value >= 1 && value <= 20 ? String.fromCodePoint(0x245f + value) : String(value)),
  ideographTraditional: (value) => '甲乙丙丁戊己庚辛壬癸'.charAt((value - 1) % 10),
  ...Object.fromEntries(
    ['chineseCounting', 'chineseCountingThousand', 'japaneseCounting', 'taiwaneseCountingThousand'].map((format) => [
      format,
      chinese,
    ]),
  ),
  ganada: (value) => '가나다라마바사아자차카타파하'.charAt((value - 1) % 14),
  aiueoFullWidth: (value) =>
    'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン'.charAt((value - 1) % 46),
  russianLower: (value) => 'абвгдежзиклмнопрстуфхцчшщэюя'.charAt((value - 1) % 28),
  russianUpper: (value) => 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ'.charAt((value - 1) % 28),
  none: () => '',
}

/** A to Z, then AA to ZZ. */
function letters(value: number): string {
  return value < 1 ? String(value) : String.fromCharCode(65 + ((value - 1) % 26)).repeat(Math.min(Math.ceil(value / 26), 30))
}

const ROMAN = Object.entries({
  M: 1000,
  CM: 900,
  D: 500,
  CD: 400,
  C: 100,
  XC: 90,
  L: 50,
  XL: 40,
  X: 10,
  IX: 9,
  V: 5,
  IV: 4,
  I: 1,
})

function roman(value: number): string {
  if (value < 1 || value > 9_999) return String(value)
  let rest = value
  let text = ''
  for (const [digits, size] of ROMAN) {
    text += digits.repeat(Math.floor(rest / size))
    rest %= size
  }
  return text
}

function ordinalEnding(value: number): string {
  if (value % 100 >= 11 && value % 100 <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][value % 10] ?? 'th'
}

function chinese(value: number): string {
  const digits = '〇一二三四五六七八九'
  if (value < 1 || value > 99) return String(value)
  const tens = Math.floor(value / 10)
  return (tens > 1 ? digits.charAt(tens) : '') + (tens > 0 ? '十' : '') + (value % 10 > 0 ? digits.charAt(value % 10) : '')
}
