import { invitationUrl } from '../../domains/operators/invitation-store.ts'
import { serverUrl } from '../../platform/config/config.ts'
import { issueFirstLogin } from '../start/first-login.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse operator first-login`: prints the link to standard output. Fails once there is an operator. */
export const operatorFirstLogin = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { config } = context
    const token = await issueFirstLogin(context, config)
    if (token === undefined) {
      throw new CommandFailure('an operator exists already: print a link for an operator with `gatehouse operator invite EMAIL`')
    }
    terminal.out(invitationUrl(config.signIn.publicUrl ?? serverUrl(config), token))
    terminal.note('for the first owner, who chooses a name, an address and a password. The link works once')
  })
