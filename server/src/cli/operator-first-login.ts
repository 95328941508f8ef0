import { addressOf } from '../config/config.ts'
import { invitationUrl } from '../operators/invitation-store.ts'
import { issueFirstLogin } from '../setup/first-login.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse operator first-login`: the link alone on standard output, as long as nobody can sign in. */
export const operatorFirstLogin = (terminal: Terminal): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const { config } = bench
    const token = await issueFirstLogin(bench, config)
    if (token === undefined) {
      throw new CommandProblem('there are operators already: print a link for one of them with `gatehouse operator invite EMAIL`')
    }
    terminal.out(invitationUrl(config.signIn.publicUrl ?? addressOf(config), token))
    terminal.note('for the first owner, who chooses a name, an address and a password: opens once')
  })
