import { deflateRawSync } from 'node:zlib'

/** A ZIP file with deflated entries, built by hand so that a test can state wrong sizes. */
export function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  statedSizes: Readonly<Record<string, number | undefined>> = {},
): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(content)
    const size = statedSizes[path] ?? Buffer.byteLength(content)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(8, 8)
    header.writeUInt32LE(packed.length, 18)
    header.writeUInt32LE(size, 22)
    header.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    parts.push(header, name, packed)
    directory.push(entry, name)
    offset += header.length + name.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, list, end])
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** A Word file with the given body, as `<w:p>…</w:p>`. `document` replaces its main part, and may state a wrong size. */
export function docxOf(
  body: string,
  title = '',
  document?: { readonly content?: Uint8Array; readonly statedSize?: number | undefined },
): Buffer {
  const main = document ? document.content : `<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`
  return zipOf(
    {
      '[Content_Types].xml': `<Types xmlns="${TYPES}"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
      '_rels/.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
      ...(main === undefined ? {} : { 'word/document.xml': main }),
      'docProps/core.xml': `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title></cp:coreProperties>`,
    },
    { 'word/document.xml': document?.statedSize },
  )
}

export function wordParagraph(text: string, style = ''): string {
  return `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`
}

/** A PDF with one page per text. Lines are 14 points apart; an empty line starts a paragraph. */
export function pdfOf(pages: readonly string[], encrypted = false): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${5 + 2 * index} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Title (Handbook of tests) >>',
    ...pages.flatMap((page, index) => {
      const shown = page
        .split('\n')
        .map((line) => `(${line}) Tj T*`)
        .join('\n')
      const content = page === '' ? '0 0 100 100 re f' : `BT /F1 12 Tf 14 TL 72 720 Td\n${shown}\nET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * index} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
    // The hashes are invented, so no password opens the file.
    ...(encrypted ? [`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'5a'.repeat(32)}> /U <${'a5'.repeat(32)}> >>`] : []),
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const protection = encrypted ? ` /Encrypt ${objects.length} 0 R /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>]` : ''
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R${protection} >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
