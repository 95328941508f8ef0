/** A text as a cell of CSV (RFC 4180). Spreadsheets run texts that begin like these as formulas; an apostrophe prevents it. */
export function csvCell(text: string): string {
  const safe = /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
