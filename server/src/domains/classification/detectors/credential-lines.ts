import type { Finding } from '../../../shared/finding.ts'
import { eachMatch } from '../text/matches.ts'
import { isPassword } from '../text/secret-value.ts'

/** `machine … login … password …` (.netrc), and the accounts of routers and scripts: `username … password …`. */
const LOGIN =
  /(?:\b(machine|default)\s{1,8}(?:\S{1,128}\s{1,8})?|\b)(?:(?:login|user|username|account)\s{1,8}\S{1,128}\s{1,8})?(?:password|passwd|secret)[ \t]{1,8}(?:[057][ \t])?(["']?)([^\s"']{4,128})/g
const HAS_USER = /\b(?:machine|login|user|username|account)\s/

/** `host:port:database:user:password` (.pgpass). A colon or backslash in the password is escaped. */
const PGPASS =
  /(?<![\w.:*/-])(\*|[\w.-]{1,128}|\[[\da-f:.]{2,45}\]):(\*|\d{4,5}):(\*|[a-z_][\w-]{0,62}):(\*|[a-z_][\w.@-]{0,62}):((?:[^\s:\\"'`]|\\.){4,128})(?![^\s"'`,;)])/gi
/** Part of these lines, which is faster to search. */
const PORT = /:(?:\*|\d{4,5}):[A-Za-z_*]/
const LOCAL_HOST = /\.|^(?:localhost|\*|\[|db|pg|postgres|database)/i
const POSTGRESQL_PORT = /^(?:5432|5433|6432|\*)$/

/** `IDENTIFIED BY '…'`, `WITH PASSWORD '…'`, `SET PASSWORD FOR … = '…'` */
const SQL =
  /(?:\bidentified (?:with \S{1,40} )?by(?: password)?|\bpassword(?: for \S{1,80})?(?: =| to)?) {0,2}\(?'([^'\n]{4,128})'/gi

function add(findings: Finding[], end: number, value: string, isCertain: boolean): void {
  if (isPassword(value, isCertain)) findings.push({ type: 'secret.token', start: end - value.length, end })
}

/** Lines of .pgpass. */
export function addPgpass(findings: Finding[], text: string): void {
  if (!PORT.test(text)) return
  eachMatch(text, PGPASS, ({ 0: match, 1: host = '', 2: port = '', 5: password = '', index }) => {
    if (LOCAL_HOST.test(host) || POSTGRESQL_PORT.test(port)) {
      add(findings, index + match.length, password, POSTGRESQL_PORT.test(port))
    }
  })
}

/** Accounts of .netrc and similar files, and statements of databases. The text contains a word such as "password". */
export function addAccounts(findings: Finding[], text: string): void {
  if (HAS_USER.test(text)) {
    eachMatch(text, LOGIN, ({ 0: match, 1: machine, 2: quote = '', 3: value = '', index }) => {
      if (machine !== undefined || (HAS_USER.test(match) && /\d/.test(value))) {
        const password = value.replace(/[.,;]$/, '')
        add(findings, index + match.length - value.length + password.length, password, machine !== undefined || quote !== '')
      }
    })
  }
  if (!text.includes("'")) return
  eachMatch(text, SQL, ({ 0: match, 1: value = '', index }) => add(findings, index + match.length - 1, value, true))
}
