import { ConfigError, type Environment } from './environment.ts'

/** E-mail to operators. The URL of the mail server stays in the environment, because it holds a password. */
export interface MailConfig {
  readonly from: string
  /** Name of the variable that holds the URL. */
  readonly smtpUrlEnv: string
}

const URL_ENV = 'GATEHOUSE_SMTP_URL'
const ADDRESS = /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/

/** Absent: the server sends no e-mail. */
export function readMailConfig(env: Environment): MailConfig | undefined {
  const { GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: from } = env
  if (!url && !from) return undefined
  if (!url || !from) throw new ConfigError('e-mail needs both GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM')
  const parsed = URL.parse(url)
  if (!parsed || !/^smtps?:$/.test(parsed.protocol) || !parsed.hostname)
    throw new ConfigError('GATEHOUSE_SMTP_URL must be like smtp://user:password@mail.example.com:587 or start with smtps://')
  if (!ADDRESS.test(from))
    throw new ConfigError('GATEHOUSE_MAIL_FROM must be an address, for example Gatehouse <gatehouse@example.com>')
  return { from, smtpUrlEnv: URL_ENV }
}
