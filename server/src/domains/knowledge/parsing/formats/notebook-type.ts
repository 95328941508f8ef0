/** Whether a valid JSON text is a Jupyter notebook: its fields `nbformat` and `cells`, or the `worksheets` of version 3. */
export function isNotebook(text: string): boolean {
  if (!text.trimStart().startsWith('{') || !text.includes('"nbformat"')) return false
  const { nbformat, cells, worksheets } = JSON.parse(text) as Readonly<Record<string, unknown>>
  return typeof nbformat === 'number' && (Array.isArray(cells) || Array.isArray(worksheets))
}
