import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { eachMatch } from '../text/matches.ts'

/** RFC 7468 textual encodings of private keys, OpenSSH's, and OpenPGP's (RFC 9580 §6.2). */
const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const PUTTY = /PuTTY-User-Key-File-\d: [\s\S]{0,400}?Private-Lines: \d{1,6}\s{1,8}(?:[A-Za-z0-9+/=]{1,76}\s{1,8}){1,64}/g

/** A body without its end line: lines of base64 and PEM headers. Line breaks can be written as `\n`. */
const BODY = /(?:(?:\s|\\[nr])*(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version|Comment|Charset): [^\n]{1,80}))*/y
/** Maximum length of a key. A more distant end line belongs to another key. */
const MAX_LENGTH = 32_768

/** The first line of a key. The finding can depend on its last line. */
const MARK = new RegExp(`${BEGIN.source}|PuTTY-User-Key-File-`, 'g')

/** Returns the end of the first END line at or after `from`. It keeps its position, so that many BEGIN lines take linear time. */
function ends(text: string): (from: number) => number | undefined {
  let start = -1
  let end = -1
  let none = false
  return (from) => {
    while (!none && start < from) {
      END.lastIndex = Math.max(from, end)
      const match = END.exec(text)
      if (match) {
        start = match.index
        end = start + match[0].length
      } else none = true
    }
    return none ? undefined : end
  }
}

function bodyEnd(text: string, from: number): number {
  BODY.lastIndex = from
  return from + (BODY.exec(text)?.[0].length ?? 0)
}

function addBlocks(findings: Finding[], text: string): void {
  const endAfter = ends(text)
  let from = 0
  eachMatch(text, BEGIN, ({ 0: line, index }) => {
    if (index < from) return
    const begun = index + line.length
    const end = endAfter(begun) ?? Number.POSITIVE_INFINITY
    from = end - index <= MAX_LENGTH ? end : bodyEnd(text, begun)
    // A begin line alone is not a key.
    if (from > begun) findings.push({ type: 'secret.private_key', start: index, end: from })
  })
}

/** Private keys in PEM, OpenSSH, OpenPGP and PuTTY format, from the first to the last line, also without an end line. */
export const privateKey: Detector = {
  name: 'private-key',
  byForm: true,
  reach: 120,
  marks: { pattern: MARK, reach: MAX_LENGTH + 256 },
  detect(text) {
    const findings: Finding[] = []
    if (text.includes('-----BEGIN ')) addBlocks(findings, text)
    if (text.includes('PuTTY-User-Key-File-')) {
      eachMatch(text, PUTTY, ({ 0: match, index }) =>
        findings.push({ type: 'secret.private_key', start: index, end: index + match.length }),
      )
    }
    return findings
  },
}
