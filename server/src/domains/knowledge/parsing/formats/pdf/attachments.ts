import type { Attachment } from '../../document.ts'
import type { Warnings } from '../../warning.ts'
import type { Pdf } from './pdf-document.ts'

/** A file inside of a PDF, by pdf.js' id. */
export interface FileReference {
  readonly id: string
  readonly name: string
}

/** The files of the whole PDF. */
export async function filesOf(pdf: Pdf): Promise<readonly FileReference[]> {
  const files = await pdf.getAttachments().catch(() => undefined)
  return [...(files ?? [])].map(([id, { filename }]) => ({ id, name: filename }))
}

/** The contents of the files. A file that the PDF names and does not contain is a warning. */
export async function readFiles(pdf: Pdf, files: readonly FileReference[], warnings: Warnings): Promise<readonly Attachment[]> {
  const attachments: Attachment[] = []
  for (const { id, name } of files) {
    const bytes = await pdf.getAttachmentContent(id).catch(() => undefined)
    if (bytes instanceof Uint8Array) attachments.push({ name, bytes })
    else warnings.add('attachment', { detail: name })
  }
  return attachments
}
