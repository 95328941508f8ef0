import type { getDocumentProxy } from 'unpdf'

/** An open PDF of pdf.js, and a page of it. */
export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
export type Page = Awaited<ReturnType<Pdf['getPage']>>
