import { addressOf } from '../config/config.ts'
import { invitationUrl, newInvitationToken, putInvitation } from '../operators/invitation-store.ts'
import { findPersonByEmail } from '../operators/operator-store.ts'
import { changeServer } from '../setup/recorded-change.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse operator invite EMAIL`: the link alone on standard output. For who is kept out, with nobody left to let them in. */
export const operatorInvite = (terminal: Terminal, email: string): Promise<void> =>
  withDatabase(terminal, async (bench) => {
    const token = newInvitationToken()
    await changeServer(bench, async (tx, now) => {
      const person = await findPersonByEmail(tx, email)
      if (!person) throw new CommandProblem(`there is no operator with the address ${email}`)
      await putInvitation(tx, person.id, token, now)
      return [{ done: 'issued', object: 'operator_invitation', id: person.id, name: email, fields: [] }]
    })
    const { config } = bench
    terminal.out(invitationUrl(config.signIn.publicUrl ?? addressOf(config), token))
    terminal.note(`for ${email}, who chooses a password anew: opens once, within 7 days, and is kept nowhere`)
  })
