import type { Finding } from '../../../shared/finding.ts'
import type { Detector } from '../detector.ts'
import { CharacterSet, DIGITS, LOWER, UPPER } from '../text/characters.ts'
import { eachMatch } from '../text/matches.ts'
import { isTemplate } from '../text/secret-value.ts'

/** `scheme://user:password@host…` (RFC 3986 §3.2.1), up to the end of the path and query. */
const USER_INFO = /:\/\/([^\s/?#"'`<>@:]{0,128}):([^\s/?#"'`<>@]{1,256})@[^\s"'`<>]{1,512}/y
const SCHEME = new CharacterSet(`${LOWER}${UPPER}${DIGITS}+.-`)
const MAX_SCHEME = 24

/** Lists of `Key=Value;` (ADO.NET, ODBC, Azure). A list with a host and a password is a connection string. */
const PASSWORDS = 'password|pwd|accountkey|sharedaccesskey|sharedsecret|accesskey'
const MACHINES =
  'server|data source|datasource|host|hostname|addr|address|network address|endpoint|accountname|dsn|driver|defaultendpointsprotocol|initial catalog'
const PASSWORD = new RegExp(String.raw`(?:^|[;?&\s])(?:${PASSWORDS})[ ]?=[ ]?([^;&\s"']{1,256})`, 'i')
const MACHINE = new RegExp(String.raw`(?:jdbc:[a-z]|(?:^|[;\s])(?:${MACHINES})[ ]?=)`, 'i')
/** A host or a password, wherever its list begins. */
const ENTRY = new RegExp(String.raw`[;?&\s]?(?:jdbc:[a-z]|(?:${MACHINES}|${PASSWORDS})[ ]?=)`, 'gi')
/** Pieces of text. A list does not continue in the next piece. The length is bounded, so that hostile texts take linear time. */
const MAX_PIECE = 2_048
const PIECE = new RegExp(`[^\\n"'\`<>]{12,${MAX_PIECE}}`, 'g')
const MARK = /(?:password|pwd|key|secret)[ ]?=/i

/** Start of the scheme before `://`. */
function schemeStart(text: string, index: number): number {
  let start = index
  while (start > 0 && index - start < MAX_SCHEME && SCHEME.has(text.charCodeAt(start - 1))) start--
  return start
}

function addUrls(findings: Finding[], text: string): void {
  let from = 0
  for (let index = text.indexOf('://'); index !== -1; index = text.indexOf('://', Math.max(index + 3, from))) {
    USER_INFO.lastIndex = index
    const match = USER_INFO.exec(text)
    const start = schemeStart(text, index)
    if (!match || start === index || isTemplate(match[2] ?? '')) continue
    from = index + match[0].replace(/[.,;)\]}]+$/, '').length
    findings.push({ type: 'secret.connection_string', start, end: from })
  }
}

function addLists(findings: Finding[], text: string): void {
  eachMatch(text, PIECE, ({ 0: piece, index }) => {
    const password = PASSWORD.exec(piece)
    const machine = password && MACHINE.exec(piece)
    if (!machine || isTemplate(password[1] ?? '')) return
    const start = Math.min(machine.index, password.index)
    const end = Math.max(machine.index + machine[0].length, password.index + password[0].length)
    findings.push({ type: 'secret.connection_string', start: index + start, end: index + end })
  })
}

/** Addresses of databases, queues and storage that contain credentials. Any scheme, `https://user:password@host` included. */
export const connectionString: Detector = {
  name: 'connection-string',
  byForm: true,
  reach: 440,
  marks: { pattern: ENTRY, reach: MAX_PIECE + 300 },
  detect(text) {
    const findings: Finding[] = []
    addUrls(findings, text)
    if (text.includes('=') && MARK.test(text)) addLists(findings, text)
    return findings
  },
}
