import type { Transporter } from 'nodemailer'

export interface MailerOptions {
  /** `smtp://` or `smtps://`, with user and password. */
  readonly url: string
  readonly from: string
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

const CONNECT_MS = 10_000
const SOCKET_MS = 30_000

/** Texts for operators, by the error code of the library. */
const FAILURES: Readonly<Record<string, string>> = {
  EDNS: 'The host of GATEHOUSE_SMTP_URL was not found. Check its name.',
  ECONNECTION: 'No connection to the mail server. Check host and port of GATEHOUSE_SMTP_URL.',
  ESOCKET: 'No connection to the mail server. Check host and port of GATEHOUSE_SMTP_URL.',
  ETIMEDOUT: 'The mail server did not respond in time. Check host and port of GATEHOUSE_SMTP_URL.',
  ETLS: 'The encrypted connection failed. Check the certificate of the mail server, and use smtps:// for port 465.',
  EAUTH: 'The mail server refused user or password. Check GATEHOUSE_SMTP_URL.',
  ENOAUTH: 'The mail server requires a user and a password. Add them to GATEHOUSE_SMTP_URL.',
}

/** Sends e-mail to one SMTP server. The library is loaded with the first e-mail. */
export class Mailer {
  readonly from: string
  readonly #url: string
  #transport: Promise<Transporter> | undefined

  constructor({ url, from }: MailerOptions) {
    this.#url = url
    this.from = from
  }

  /** Returns why the e-mail was not accepted, as a text for operators; undefined: it was. */
  async send(mail: Mail): Promise<string | undefined> {
    this.#transport ??= openTransport(this.#url)
    const headers = { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' }
    try {
      await (await this.#transport).sendMail({ ...mail, from: this.from, headers })
      return undefined
    } catch (error) {
      return describeFailure(error as { code?: string; responseCode?: number; command?: string })
    }
  }
}

async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { username, hostname } = new URL(url)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return createTransport({
    url,
    // A password is only sent over an encrypted connection.
    requireTLS: username !== '' && !isLocal,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SOCKET_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function describeFailure({ code, responseCode, command }: { code?: string; responseCode?: number; command?: string }): string {
  const known = FAILURES[code ?? '']
  if (known !== undefined) return known
  const status = responseCode === undefined ? '' : ` with status ${responseCode}`
  if (command === 'MAIL FROM') return `The mail server refused the sender${status}. Check GATEHOUSE_MAIL_FROM.`
  if (command === 'RCPT TO') return `The mail server refused the recipient${status}.`
  return `The mail server refused the e-mail${status}.`
}
