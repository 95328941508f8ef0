import { type MailDeps, MailWorker } from './domains/notifications/mail/mail-worker.ts'
import { Mailer } from './domains/notifications/mail/mailer.ts'
import type { Config } from './platform/config/config.ts'
import type { Secrets } from './platform/config/secrets.ts'

interface Base extends Omit<MailDeps, 'mailer' | 'publicUrl'> {
  readonly config: Config
  readonly secrets: Secrets
}

/** E-mail to operators. Without a mail server there is no mailer, and the worker does nothing. */
export function createMail(base: Base) {
  const { config, secrets } = base
  const mailer = config.mail && new Mailer({ from: config.mail.from, url: secrets.fromEnvironment(config.mail.smtpUrlEnv) ?? '' })
  return { mailer, mail: new MailWorker({ ...base, mailer, publicUrl: config.signIn.publicUrl }) }
}
