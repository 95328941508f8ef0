import { expect } from 'vitest'
import { parseFile } from '../../../src/domains/knowledge/parsing/parse-file.ts'
import { pdfFile, type TestPage, type TestPdf } from './pdf.ts'

/** The result that must be read from a PDF. */
export interface PdfCase {
  readonly file: TestPdf | TestPage
  /** The whole Markdown. */
  readonly is?: string
  readonly has?: readonly string[]
  readonly lacks?: readonly string[]
  /** All warnings as `kind place count`. */
  readonly warns?: readonly string[]
}

export async function checkPdf({ file, is, has = [], lacks = [], warns = [] }: PdfCase): Promise<void> {
  const { markdown, warnings } = await parsePdf(file)
  if (is !== undefined) expect(markdown).toBe(is)
  for (const part of has) expect(markdown).toContain(part)
  for (const part of lacks) expect(markdown).not.toContain(part)
  expect(warnings.map(({ kind, place, count }) => `${kind} ${place ?? 'file'} ${count}`)).toEqual(warns)
}

export const parsePdf = async (file: TestPdf | TestPage) =>
  await parseFile(new Uint8Array(pdfFile('pages' in file ? file : { pages: [file] })), { name: 'a.pdf' })
