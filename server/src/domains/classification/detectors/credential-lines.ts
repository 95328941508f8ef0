import type { Finding } from '../../../shared/finding.ts'
import { eachMatch } from '../text/search.ts'
import { isPassword } from '../text/secret-value.ts'

/** `machine … login … password …` (.netrc), and the accounts of routers and scripts: `username … password …`. */
const LOGIN =
  /(?:\b(machine|default)\s{1,8}(?:\S{1,128}\s{1,8})?|\b)(?:(?:login|user|username|account)\s{1,8}\S{1,128}\s{1,8})?(?:password|passwd|secret)[ \t]{1,8}(?:[057][ \t])?(["']?)([^\s"']{4,128})/g
const HAS_USER = /\b(?:machine|login|user|username|account)\s/

/** `host:port:database:user:password` (.pgpass). A colon or backslash in the password is escaped. */
const PGPASS =
  /(?<![\w.:*/-])(\*|[\w.-]{1,128}|\[[\da-f:.]{2,45}\]):(\*|\d{4,5}):(\*|[a-z_][\w-]{0,62}):(\*|[a-z_][\w.@-]{0,62}):((?:[^\s:\\"'`]|\\.){4,128})(?![^\s"'`,;)])/gi
const PORT = /:(?:\*|\d{4,5}):[A-Za-z_*]/
const LOCAL_HOST = /\.|^(?:localhost|\*|\[|db|pg|postgres|database)/i
const POSTGRESQL_PORT = /^(?:5432|5433|6432|\*)$/

/** `IDENTIFIED BY '…'`, `WITH PASSWORD '…'`, `SET PASSWORD FOR … = '…'` */
const SQL =
  /(?:\bidentified (?:with \S{1,40} )?by(?: password)?|\bpassword(?: for \S{1,80})?(?: =| to)?) {0,2}\(?'([^'\n]{4,128})'/gi

function addIfPassword(findings: Finding[], end: number, value: string, isCertain: boolean): void {
  if (isPassword(value, isCertain)) findings.push({ type: 'secret.token', start: end - value.length, end })
}

export function addPgpass(findings: Finding[], text: string): void {
  if (!PORT.test(text)) return
  eachMatch(text, PGPASS, ({ 0: match, 1: host = '', 2: port = '', 5: password = '', index }) => {
    if (LOCAL_HOST.test(host) || POSTGRESQL_PORT.test(port)) {
      addIfPassword(findings, index + match.length, password, POSTGRESQL_PORT.test(port))
    }
  })
}

/** Accounts of .netrc and similar files, and statements of databases. The text contains a word such as "password". */
export function addAccounts(findings: Finding[], text: string): void {
  if (HAS_USER.test(text)) {
    eachMatch(text, LOGIN, ({ 0: match, 1: machine, 2: quote = '', 3: value = '', index }) => {
      if (machine !== undefined || (HAS_USER.test(match) && /\d/.test(value))) {
        const password = value.replace(/[.,;]$/, '')
        addIfPassword(
          findings,
          index + match.length - value.length + password.length,
          password,
          machine !== undefined || quote !== '',
        )
      }
    })
  }
  if (!text.includes("'")) return
  eachMatch(text, SQL, ({ 0: match, 1: value = '', index }) => addIfPassword(findings, index + match.length - 1, value, true))
}

interface Form {
  /** Before a password. */
  readonly options: string
  /** Between user and password. */
  readonly separator?: string
}

const SPACE = String.raw`(?:[ \t]{1,8}|=)`
const PASSWORD_P: Form = { options: `-p${SPACE}` }
const CAPITAL_P: Form = { options: String.raw`-P[ \t]{0,8}` }
const LOGIN_P: Form = { options: String.raw`login\b[^\n]{0,120}?[ \t](?:-p|--password)${SPACE}` }
/** A space after `-p` means that the command asks for the password. */
const ATTACHED_P: Form = { options: '-p' }
const ARCHIVE_P: Form = { options: '-h?p' }
const USER: Form = {
  options: String.raw`(?:-[a-zA-Z]{0,6}[uUa][ \t]{0,8}|--(?:user|proxy-user|auth|proxy-auth)${SPACE})`,
  separator: ':',
}
const STORE_PASS: Form = { options: `-(?:store|key|srcstore|deststore|srckey|destkey)pass${SPACE}` }

const FORMS: readonly (readonly [commands: string, form: Form])[] = [
  ['sshpass', { options: String.raw`-p[ \t]{0,8}` }],
  ['redis-cli valkey-cli keydb-cli', { options: `(?:-a|--pass)${SPACE}` }],
  ['mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlsh mysqlshow mariadb mariadb-dump mariadb-admin', ATTACHED_P],
  ['docker podman nerdctl buildah skopeo helm az oc cf ibmcloud argocd oras crane', LOGIN_P],
  ['mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh psexec evil-winrm beeline rabbitmqadmin', PASSWORD_P],
  ['sqlcmd bcp tsql isql mssql-cli mosquitto_pub mosquitto_sub ipmitool unzip zip', CAPITAL_P],
  ['7z 7za 7zz rar unrar', ARCHIVE_P],
  ['ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldappasswd', { options: String.raw`-w[ \t]{1,8}` }],
  ['plink pscp psftp putty', { options: `-pw${SPACE}` }],
  ['keytool jarsigner', STORE_PASS],
  ['openssl', { options: String.raw`-(?:pass(?:in|out)?[ \t]{1,8}pass:|k[ \t]{1,8})` }],
  ['ssh-keygen', { options: String.raw`-[NP][ \t]{1,8}` }],
  ['snmpget snmpwalk snmpset snmpbulkwalk', { options: String.raw`-[AX][ \t]{1,8}` }],
  ['htpasswd', { options: String.raw`-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t](?:[^\s-]\S{0,80}[ \t]){1,2}` }],
  ['curl wget xh http https ab', USER],
  ['smbclient rpcclient winexe smbmap', { options: String.raw`-U[ \t]{0,8}`, separator: '%' }],
  ['lftp', { options: String.raw`-u[ \t]{1,8}`, separator: ',' }],
  ['sqlplus rman expdp impdp', { options: '', separator: '/' }],
]

/** A value in quotes on one line, or up to the next space or delimiter of a shell. */
const VALUE = String.raw`(?:'([^'\n]{4,128})'|"([^"\n]{4,128})"|([^\s'"\`;|&<>()]{4,128}))`
const BY_COMMAND = new Map(
  FORMS.flatMap(([commands, { options, separator }]) => {
    const form = { expression: new RegExp(String.raw`(?<=\s)${options}${VALUE}`, 'g'), separator }
    return commands.split(' ').map((command) => [command, form] as const)
  }),
)
const escaped = [...BY_COMMAND.keys()].sort((a, b) => b.length - a.length).map((command) => command.replace('-', '\\-'))
const COMMAND = new RegExp(String.raw`(?<![\w.@:-])(?:${escaped.join('|')})(?=(?:\.exe)?[ \t])`, 'g')
const ARGUMENTS = /(?:[^\n\\]|\\(?:\r?\n)?){1,240}/y

/** `echo … | docker login --password-stdin`, `echo user:… | chpasswd` */
const PIPED =
  /\becho[ \t]{1,4}(?:-n[ \t])?(["']?)([^\s"'|]{4,128})\1[ \t]{0,4}\|[^\n|]{0,120}?(?:-stdin\b|sudo -S|--passphrase-fd|\bchpasswd)/g

/** Examples in documentation: `mypassword`, `user_pass`. */
const EXAMPLE = /^(?:my|the|some|user|test|db)?[-_]?(?:user|db|root|admin)?[-_]?(?:pass(?:word|wd|phrase)?|secret|token|pwd?)$/i

/** The end of an option's value is the end of the password. `user:password`: the password follows the separator. */
function passwordOf(value: string, separator: string | undefined): string {
  if (separator === undefined) return value
  const at = value.indexOf(separator)
  const password = at < 0 ? '' : value.slice(at + 1)
  // `user/password@database` of Oracle.
  return separator === '/' ? password.replace(/@[^@]*$/, '') : password
}

function addArgument(findings: Finding[], start: number, password: string): void {
  if (!EXAMPLE.test(password) && !/^[/-]/.test(password)) addIfPassword(findings, start + password.length, password, true)
}

/** Adds the passwords in the arguments of the command that ends at `from`. `next`: where the next command begins. */
function addArguments(findings: Finding[], text: string, command: string, from: number, next: number): void {
  ARGUMENTS.lastIndex = from
  const words = (ARGUMENTS.exec(text)?.[0] ?? '').slice(0, next - from)
  const form = BY_COMMAND.get(command)
  if (!form) return
  eachMatch(words, form.expression, ({ 0: match, 1: single, 2: double, 3: bare = '', index: at }) => {
    const quoted = single ?? double
    const value = quoted ?? bare
    const password = passwordOf(value, form.separator)
    const end = from + at + match.length - (quoted === undefined ? 0 : 1)
    addArgument(findings, end - (form.separator === '/' ? value.length - value.indexOf(password) : password.length), password)
  })
}

export function addCommands(findings: Finding[], text: string): void {
  let last: { readonly command: string; readonly end: number } | undefined
  eachMatch(text, COMMAND, ({ 0: command, index }) => {
    if (last) addArguments(findings, text, last.command, last.end, index)
    last = { command, end: index + command.length }
  })
  if (last) addArguments(findings, text, last.command, last.end, text.length)
  if (!text.includes('echo ')) return
  eachMatch(text, PIPED, ({ 0: match, 2: value = '', index }) => {
    const password = passwordOf(value, match.endsWith('chpasswd') ? ':' : undefined)
    addArgument(findings, index + match.indexOf(value) + value.length - password.length, password)
  })
}

/** An option of these commands. Prose has dashes, but no options. */
const OPTION =
  / -(?:[a-zA-Z]{0,6}[abkuwANPSUX]\b|h?p\S| ?p\b|pw|-(?:user|proxy-user|auth|pass)|(?:src|dest)?(?:store|key)pass|pass)/

export const mayHaveCommand = (text: string): boolean => (text.includes(' -') && OPTION.test(text)) || text.includes('sqlplus ')
