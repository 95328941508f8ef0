import { invitationUrl, newInvitationToken, putInvitation } from '../../domains/operators/invitation-store.ts'
import { findPersonByEmail } from '../../domains/operators/operator-store.ts'
import { serverUrl } from '../../platform/config/config.ts'
import { changeServer } from '../setup/recorded-change.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse operator invite EMAIL`: prints the link to standard output. For an operator that no owner can invite. */
export const operatorInvite = (terminal: Terminal, email: string): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const token = newInvitationToken()
    await changeServer(context, async (tx, now) => {
      const person = await findPersonByEmail(tx, email)
      if (!person) throw new CommandFailure(`there is no operator with the address ${email}`)
      await putInvitation(tx, person.id, token, now)
      return [{ done: 'issued', object: 'operator_invitation', id: person.id, name: email, fields: [] }]
    })
    const { config } = context
    terminal.out(invitationUrl(config.signIn.publicUrl ?? serverUrl(config), token))
    terminal.note(
      `for ${email}, who chooses a new password. The link works once, within 7 days. Copy it now, because only its hash is stored`,
    )
  })
