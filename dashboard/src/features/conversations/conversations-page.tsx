import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { textOf, useFilters } from '../../routing/location.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { nameOf, UserAvatar } from './avatars.tsx'
import { MemberContext } from './member-context.ts'
import { useContact } from './member-queries.ts'
import { isActingAs, type MemberSession, rememberActingAs, useEndMemberSession, useMemberSession } from './member-session.ts'
import { Messenger } from './messenger.tsx'
import { UserList } from './user-list.tsx'

const readFilters = ({ as }: Readonly<Record<string, unknown>>): { as: string | undefined } => ({ as: textOf(as) })

/** A messenger that uses the messaging API as a chosen user. */
export function Page() {
  const { t } = useTranslation('conversations')
  const [{ as }, setFilters] = useFilters(readFilters)
  const [selected, setChosen] = useState(() => (as !== undefined && isActingAs(as) ? as : undefined))
  const userId = selected === as ? selected : undefined
  const { data: session, error, refetch } = useMemberSession(userId)
  const endSession = useEndMemberSession()
  // Ends the session after the URL has changed, because the warning about unsaved changes can keep the URL.
  const ending = useRef<MemberSession>(undefined)
  useEffect(() => {
    if (as !== undefined || ending.current === undefined) return
    void endSession(ending.current)
    ending.current = undefined
  })

  if (as === undefined || userId === undefined) {
    const actAs = (user: string) => {
      rememberActingAs(user)
      setChosen(user)
      setFilters({ as: user })
    }
    return (
      <Frame title={t('title')} description={t('description')}>
        <UserList suggested={as} onChoose={actAs} />
      </Frame>
    )
  }
  if (error) {
    return (
      <Frame title={t('title')} actions={<Button onClick={() => setFilters({ as: undefined })}>{t('switchUser')}</Button>}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Frame>
    )
  }
  if (!session) return <PageSkeleton />
  const stop = () => {
    ending.current = session
    setFilters({ as: undefined })
  }
  return (
    <MemberContext value={session}>
      <Frame title={t('title')} actions={<ActingUser session={session} onStop={stop} />}>
        <Messenger onTokenEnded={() => void refetch()} />
      </Frame>
    </MemberContext>
  )
}

/** The acting user, and a button to switch. */
function ActingUser({ session: { userId }, onStop }: { readonly session: MemberSession; readonly onStop: () => void }) {
  const { t } = useTranslation('conversations')
  const contact = useContact(userId)
  const name = contact ? nameOf(contact) : userId
  return (
    <Group gap="xs" wrap="nowrap">
      <UserAvatar name={name} avatar={contact?.avatar_url ?? null} size="sm" />
      <Text size="sm">
        <Trans ns="conversations" i18nKey="actingAs" values={{ name }} components={{ strong: <strong /> }} />
      </Text>
      <Button variant="default" size="xs" onClick={onStop}>
        {t('switchUser')}
      </Button>
    </Group>
  )
}
