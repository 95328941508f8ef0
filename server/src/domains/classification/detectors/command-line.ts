import type { Finding } from '../../../shared/finding.ts'
import { eachMatch } from '../text/matches.ts'
import { isPassword } from '../text/secret-value.ts'

/** Options of a command before a password, and the sign that separates a user from the password in their value. */
interface Form {
  readonly options: string
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
/** Options of a command are on its line or on continued lines. */
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

function add(findings: Finding[], start: number, password: string): void {
  if (!isPassword(password, true) || EXAMPLE.test(password) || /^[/-]/.test(password)) return
  findings.push({ type: 'secret.token', start, end: start + password.length })
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
    const start = from + at + match.length - (quoted === undefined ? 0 : 1) - value.length
    add(
      findings,
      start + value.length - (form.separator === '/' ? value.length - value.indexOf(password) : password.length),
      password,
    )
  })
}

/** Passwords in the arguments of well-known commands: `sshpass -p …`, `curl -u user:…`, `mysql -p…`. */
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
    add(findings, index + match.indexOf(value) + value.length - password.length, password)
  })
}

/** An option of these commands. Prose has dashes, but no options. */
const OPTION =
  / -(?:[a-zA-Z]{0,6}[abkuwANPSUX]\b|h?p\S| ?p\b|pw|-(?:user|proxy-user|auth|pass)|(?:src|dest)?(?:store|key)pass|pass)/

export const mayHaveCommand = (text: string): boolean => (text.includes(' -') && OPTION.test(text)) || text.includes('sqlplus ')
