import { format, isDateFormat } from 'numfmt'

/** Excel's limit. Reading a code of 16,000 characters takes a second. */
const MAX_CODE = 255
/** Days between the two first days from which spreadsheets count. */
const DAYS_TO_1904 = 1462

/**
 * A number as its format shows it. Values that are no numbers, and numbers in a format that is not valid, are shown as written.
 * Numbers in the general format have up to 15 digits, which is what spreadsheets keep.
 */
export function shownValue(value: string, code: string, from1904 = false): string {
  const number = Number(value)
  if (value === '' || !Number.isFinite(number)) return value
  if (code === '' || /^general$/i.test(code)) return String(Number(number.toPrecision(15)))
  if (code.length > MAX_CODE) return value
  try {
    return format(code, from1904 && isDateFormat(code) ? number + DAYS_TO_1904 : number).trim()
  } catch {
    return value
  }
}

/** Text in a format such as `"Order "@`. */
export function shownText(text: string, code: string): string {
  if (!code.includes('@') || code === '@' || code.length > MAX_CODE) return text
  try {
    return format(code, text).trim()
  } catch {
    return text
  }
}

/** Formats that files refer to only by a number. Dates depend on the reader's country there; here they are written in one way. */
export function builtInFormat(id: number): string {
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'yyyy-mm-dd'
  return BUILT_IN[id] ?? 'General'
}

const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0;-$#,##0',
  6: '$#,##0;-$#,##0',
  7: '$#,##0.00;-$#,##0.00',
  8: '$#,##0.00;-$#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  32: 'h:mm',
  33: 'h:mm:ss',
  34: 'h:mm',
  35: 'h:mm:ss',
  37: '#,##0;-#,##0',
  38: '#,##0;-#,##0',
  39: '#,##0.00;-#,##0.00',
  40: '#,##0.00;-#,##0.00',
  41: '#,##0;-#,##0;"-"',
  42: '$#,##0;-$#,##0;"-"',
  43: '#,##0.00;-#,##0.00;"-"',
  44: '$#,##0.00;-$#,##0.00;"-"',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
}
