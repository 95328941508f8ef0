import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { textOf, useFilters } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { ChooseUser } from './choose-user.tsx'
import { choose, hasChosen, type Identity, useIdentity, useLeave } from './identity.ts'
import { MemberContext } from './member.ts'
import { useContact } from './member-queries.ts'
import { Messenger } from './messenger.tsx'
import { Face, nameOf } from './names.tsx'

const readFilters = ({ as }: Readonly<Record<string, unknown>>): { as: string | undefined } => ({ as: textOf(as) })

/** The messaging API at work: a messenger, in the name of a user of one's choice. */
export function Page() {
  const [{ as }, setFilters] = useFilters(readFilters)
  const [chosen, setChosen] = useState(() => (as !== undefined && hasChosen(as) ? as : undefined))
  const speaksAs = chosen === as ? chosen : undefined
  const { data: identity, error, refetch } = useIdentity(speaksAs)
  const leave = useLeave()
  // The address changes first: an unsaved message may keep it as it is.
  const ending = useRef<Identity>(undefined)
  useEffect(() => {
    if (as !== undefined || ending.current === undefined) return
    void leave(ending.current)
    ending.current = undefined
  })

  if (as === undefined || speaksAs === undefined) {
    const speak = (user: string) => {
      choose(user)
      setChosen(user)
      setFilters({ as: user })
    }
    return (
      <Frame title="Conversations" description="Speak as one of the users. Open a second window to answer as another.">
        <ChooseUser suggested={as} onChoose={speak} />
      </Frame>
    )
  }
  if (error) {
    return (
      <Frame title="Conversations" actions={<Button onClick={() => setFilters({ as: undefined })}>Choose another user</Button>}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Frame>
    )
  }
  if (!identity) return <PageSkeleton />
  const stop = () => {
    ending.current = identity
    setFilters({ as: undefined })
  }
  return (
    <MemberContext value={identity}>
      <Frame title="Conversations" actions={<Speaker identity={identity} onStop={stop} />}>
        <Messenger onTokenEnded={() => void refetch()} />
      </Frame>
    </MemberContext>
  )
}

/** Who speaks, and the way to be somebody else. */
function Speaker({ identity: { userId }, onStop }: { readonly identity: Identity; readonly onStop: () => void }) {
  const contact = useContact(userId)
  const name = contact ? nameOf(contact) : userId
  return (
    <Group gap="xs" wrap="nowrap">
      <Face name={name} avatar={contact?.avatar_url ?? null} size="sm" />
      <Text size="sm">
        Speaking as <strong>{name}</strong>
      </Text>
      <Button variant="default" size="xs" onClick={onStop}>
        Somebody else
      </Button>
    </Group>
  )
}
