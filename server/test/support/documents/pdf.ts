/** A page of a test's PDF. `$name` refers to an object of the file, in all strings. */
export interface TestPage {
  /** Operators, such as those of `text`. */
  readonly content?: string
  /** Entries of the page's dictionary, such as `/Rotate 90`. */
  readonly entries?: string
  /** Entries of its resources, such as `/XObject << /Im1 $scan >>`. */
  readonly resources?: string
  readonly annotations?: readonly string[]
}

export interface TestPdf {
  readonly pages: readonly TestPage[]
  /** Objects by name: a dictionary or another value, or a stream with its dictionary's entries. */
  readonly objects?: Readonly<Record<string, string | readonly [entries: string, stream: string | Uint8Array]>>
  readonly catalog?: string
  readonly trailer?: string
  /** Offsets in the table of objects are wrong. */
  readonly brokenTable?: boolean
}

const FONTS = {
  F1: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  F2: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
  F3: '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
}

/** A PDF with the fonts F1 (Helvetica), F2 (bold) and F3 (Courier) on each page. */
export function pdfFile({ pages, objects = {}, catalog = '', trailer = '', brokenTable = false }: TestPdf): Buffer {
  const names = [
    'catalog',
    'pages',
    ...Object.keys(FONTS),
    ...Object.keys(objects),
    ...pages.flatMap((_, at) => [`page${at}`, `content${at}`]),
  ]
  const resolve = (text: string) => text.replace(/\$(\w+)/g, (_, name: string) => `${names.indexOf(name) + 1} 0 R`)
  const fonts = Object.keys(FONTS).map((name) => `/${name} $${name}`)
  const bodies = new Map<string, Buffer>()
  const add = (name: string, value: string) => bodies.set(name, Buffer.from(resolve(value), 'latin1'))
  const addStream = (name: string, entries: string, stream: string | Uint8Array) => {
    const bytes = typeof stream === 'string' ? Buffer.from(stream, 'latin1') : stream
    const start = Buffer.from(resolve(`<< ${entries} /Length ${bytes.length} >>\nstream\n`), 'latin1')
    bodies.set(name, Buffer.concat([start, bytes, Buffer.from('\nendstream')]))
  }
  add('catalog', `<< /Type /Catalog /Pages $pages ${catalog} >>`)
  add('pages', `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `$page${at}`).join(' ')}] >>`)
  for (const [name, font] of Object.entries(FONTS)) add(name, font)
  for (const [name, value] of Object.entries(objects)) {
    if (typeof value === 'string') add(name, value)
    else addStream(name, value[0], value[1])
  }
  pages.forEach(({ content = '', entries = '', resources = '', annotations = [] }, at) => {
    const own = /\/Font <<(.*?)>>/.exec(resources)?.[1] ?? ''
    const rest = resources.replace(/\/Font <<.*?>>/, '')
    add(
      `page${at}`,
      `<< /Type /Page /Parent $pages ${/MediaBox/.test(entries) ? '' : '/MediaBox [0 0 612 792]'} ${entries} /Contents $content${at} /Resources << /Font << ${fonts.join(' ')} ${own} >> ${rest} >> /Annots [${annotations.join(' ')}] >>`,
    )
    addStream(`content${at}`, '', content)
  })
  return written(
    names.map((name) => bodies.get(name) ?? Buffer.from('null')),
    resolve(`/Root $catalog ${trailer}`),
    brokenTable,
  )
}

function written(bodies: readonly Buffer[], trailer: string, brokenTable: boolean): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')]
  let length = parts[0]?.length ?? 0
  const offsets = bodies.map((body, at) => {
    const offset = length
    const object = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')])
    parts.push(object)
    length += object.length
    return brokenTable ? offset + 7 : offset
  })
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${lines}trailer << /Size ${bodies.length + 1} ${trailer} >>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(table)])
}

/** Text at a place: its font's size, and operators before it. */
export function text(x: number, y: number, shown: string, { size = 11, font = 'F1', before = '' } = {}): string {
  return `q ${before} BT /${font} ${size} Tf ${x} ${y} Td (${shown.replace(/[\\()]/g, '\\$&')}) Tj ET Q\n`
}

/** Lines below each other. */
export const lines = (x: number, y: number, shown: readonly string[], leading = 14): string =>
  shown.map((line, at) => text(x, y - at * leading, line)).join('')

/** A field of a form. `rect` is its place. */
export const field = (rect: readonly number[], entries: string): string =>
  `<< /Type /Annot /Subtype /Widget /F 4 /Rect [${rect.join(' ')}] ${entries} >>`

/** A map from the codes of a composite font, of two bytes each, to characters. */
export function unicodeMap(map: Readonly<Record<number, string>>): readonly [string, string] {
  const hex = (value: number) => value.toString(16).padStart(4, '0')
  const rows = Object.entries(map).map(
    ([code, characters]) =>
      `<${hex(Number(code))}> <${[...Array(characters.length).keys()].map((at) => hex(characters.charCodeAt(at))).join('')}>`,
  )
  return [
    '',
    `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange ${rows.length} beginbfchar ${rows.join('\n')} endbfchar endcmap end end`,
  ]
}
