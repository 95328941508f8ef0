/** Placeholders by their form: `${DB_PASS}`, `{{token}}`, `<password>`, `****`. */
const TEMPLATE = /^(?:[$%][A-Z_{(]|\{\{|<|\[|\*+$|\.{3,}|•|_+$|-+$|%s$)|x{5,}|\*{4,}|•{3,}|\.{3}/i
/** Placeholders by their words, as in documentation, types and forms. */
const WORDED = /your|[-_](?:here|goes)\b|(?:change|replace|fill|insert)[-_ ]?(?:me|this|in)|placeholder|redacted|example\.com/i
const WORDS = new Set(
  `string str text varchar char int integer number bool boolean byte bytes object null nil none undefined true false required optional hidden
  secret token password passwd pass value key empty missing invalid incorrect wrong expired encrypted hashed masked foo bar default auto any
  unknown same new old current yes no n/a tbd todo`.split(/\s+/),
)

export const isTemplate = (value: string): boolean => TEMPLATE.test(value)
export const isPlaceholder = (value: string): boolean =>
  WORDS.has(value.toLowerCase()) || TEMPLATE.test(value) || WORDED.test(value)

/** Different characters: values with fewer are `aaaa…`, `0000…` or `abcabc…`. */
const VARIETY = 7

export function hasVariety(value: string, variety = VARIETY): boolean {
  let seen = ''
  for (const character of value) {
    if (seen.includes(character)) continue
    seen += character
    if (seen.length === variety) return true
  }
  return false
}

/** `user.password`, `settings.DB_PASS`: code that names a secret. */
const DOTTED = /^[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+$/
/** `db-credentials-v2`, `my_app.secret`: a name made of words. */
const SLUG = /^[A-Za-z]+(?:[-_./:][A-Za-z]+)*(?:[-_./:]?v?\d{1,2})?$/
const PATH_OR_URL = /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\|[a-z]+:\/\/)/
const DATE_OR_RANGE = /^\d{1,4}[-–./]\d{1,2}(?:[-./]\d{1,4})?$/

const isName = (value: string): boolean => DOTTED.test(value) || SLUG.test(value) || PATH_OR_URL.test(value)

const NUMERIC = /^[\d.,-]*$/
/** Characters that distinguish a password from a word. A hyphen, or a punctuation mark or `*` at the end, does not. */
const TELLING = /[\d@#$%^&+~]|[!*?][^!*?]/

/** A value that a person can have chosen: at least four characters, with a digit or a sign, or in quotes. */
export function isPassword(value: string, quoted: boolean): boolean {
  if (value.length < 4 || (!quoted && !TELLING.test(value))) return false
  if (NUMERIC.test(value)) return /^\d{6,}$/.test(value) || (quoted && !DATE_OR_RANGE.test(value))
  return !DOTTED.test(value) && !PATH_OR_URL.test(value) && !isPlaceholder(value)
}

/** A generated value: letters and digits that do not look like words. `minLength` depends on the name of the value. */
export const isGenerated = (value: string, minLength: number): boolean =>
  value.length >= minLength &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !isPlaceholder(value) &&
  !isName(value) &&
  hasVariety(value)

/** The word "password" in the languages of user interfaces, also as a part of a compound. */
const PASSWORD_WORD =
  /pass?(?:w[oö]r[dt]|ord|code|kode|phrase|key)|kennwort|pass?wort|zugangs?code|geheim(?:zahl|wort)|contrase|clave|senha|palavra|wachtwoord|wagwoord|lösenord|adgangskode|salasana|lykilor|has[lł]o|heslo|geslo|jelsz|parol|passe|lozink|slaptažod|şifre|sifre|pin|sandi|pasahitz|cyfrinair|pasfhocal|fjalëkalim|katalaluan/i
/** Names of texts of a form, not of a value: `forgotPassword`, `password_label`. */
const FORM_TEXT =
  /(?:forgot(?:ten)?|reset|confirm|repeat|retype|re?enter|new|old|current|show|hide|change|enter|your|update|choose|create|invalid|missing|wrong|required?)(?:password|passwd|passwort|kennwort|pwd)s?$/
const LETTERS = /^[\p{L}\p{M}'’-]+$/u
const CAPITALIZED = /^\p{Lu}[\p{Ll}\p{M}]+$/u

/** Whether a word in quotes after the name of a password is a text of a user interface: `"password": "Passwort"`. */
export function isInterfaceText(name: string, value: string): boolean {
  const word = value.replace(/[\s*:.…!?]+$/, '')
  if (!LETTERS.test(word)) return false
  // Passwords of letters alone are ASCII: keyboards of other scripts are switched to type one.
  return PASSWORD_WORD.test(word) || /[^ -~]/.test(word) || (CAPITALIZED.test(word) && FORM_TEXT.test(name))
}
