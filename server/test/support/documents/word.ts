import { type Parts, part } from './office.ts'

/** Pieces of WordprocessingML for the body and the parts of `wordFile`. */
export const run = (text: string, properties = '') =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`
export const paragraph = (content: string, properties = '') =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`
export const text = (content: string, properties = '') => paragraph(run(content), properties)
export const cell = (content: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${text(content)}</w:tc>`
export const table = (...rows: string[]) => `<w:tbl><w:tblPr/>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`
export const field = (instruction: string, result: string, data = '') =>
  `<w:r><w:fldChar w:fldCharType="begin">${data && `<w:ffData>${data}</w:ffData>`}</w:fldChar></w:r><w:r><w:instrText> ${instruction} </w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`
export const box = (checked: string, content: string) =>
  `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${checked}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run(content)}</w:sdtContent></w:sdt>`
export const equation = (content: string) => paragraph(`<m:oMath>${content}</m:oMath>`)
export const letters = (content: string) => `<m:r><m:t>${content}</m:t></m:r>`
export const listed = (content: string, list: number, level = 0) =>
  text(content, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`)
export const level = (depth: number, format: string, label: string, more = '') =>
  `<w:lvl w:ilvl="${depth}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${label}"/>${more}</w:lvl>`
export const numbering = (levels: string, lists = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'): Parts => ({
  'numbering.xml': {
    type: 'numbering',
    content: part('w:numbering', `<w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${lists}`),
  },
})
export const styles = (...list: string[]): Parts => ({
  'styles.xml': { type: 'styles', content: part('w:styles', list.join('')) },
})
export const header = (content: string, name = 'header1'): Parts => ({
  [`${name}.xml`]: { type: 'header', content: part('w:hdr', content) },
})
export const section = (content: string) => `<w:sectPr>${content}</w:sectPr>`
export const textBox = (content: string) =>
  `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>` +
  `<mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>${content}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`
export const note = (kind: string, id: string, content: string) =>
  `<w:${kind} w:id="${id}"><w:p><w:r><w:${kind}Ref/></w:r>${run(` ${content}`)}</w:p></w:${kind}>`
export const graphic = (reference: string) =>
  `<w:r><w:drawing><wp:inline><a:graphic><a:graphicData>${reference}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`
