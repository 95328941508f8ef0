import { Button, Code } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useGo, usePathParam } from '../../routing/location.ts'
import { changedOnly } from '../../ui/changed-only.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { AccessTokens } from './access-tokens.tsx'
import { PEOPLE } from './paths.ts'
import { projectsOf } from './projects-of.ts'
import { type User, UserForm, userBody, useUserForm, valuesOf } from './user-form.tsx'

/** One user: what is known of them, their tokens for the messaging API, and what is theirs elsewhere. */
export function Page() {
  const id = usePathParam('id')
  const { data: user, error, refetch } = useRead('/admin/v1/users/{id}', { params: { path: { id } } })
  const { may } = useScopes()
  const changes = may('people:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!user) return <PageSkeleton />
  const { projects: _, ...attributes } = user.attributes
  return (
    <Frame
      title={user.username}
      actions={
        <>
          <LinkButton to="/settings/users" variant="subtle">
            All users
          </LinkButton>
          {changes && <Erasure user={user} />}
        </>
      }
    >
      <Section title="What is known of them" actions={changes && <EditButton user={user} />}>
        <Facts
          facts={[
            ['Id', user.id],
            ['Role', user.role || '–'],
            ['Department', user.department || '–'],
            ['Projects', projectsOf(user).join(', ') || '–'],
            [
              'Other attributes',
              Object.keys(attributes).length > 0 ? <Code key="attributes">{JSON.stringify(attributes)}</Code> : null,
            ],
            ['Added', <Time key="created" at={user.created_at} />],
            [
              'Elsewhere',
              may('memory:read') ? (
                <Link key="memories" to="/memory" search={{ user: user.id }}>
                  Their memories
                </Link>
              ) : null,
            ],
          ]}
        />
      </Section>
      <AccessTokens user={user} mayChange={changes} />
    </Frame>
  )
}

function EditButton({ user }: { readonly user: User }) {
  const [opened, { open, close }] = useDisclosure()
  const form = useUserForm(user)
  const update = useChange('patch', '/admin/v1/users/{id}', {
    refresh: PEOPLE,
    onDone: () => {
      form.resetDirty()
      close()
    },
  })
  useEdited(form, valuesOf(user))
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Change
      </Button>
      <FormModal
        opened={opened}
        unsaved={form.isDirty() && !update.isPending}
        onClose={dismiss}
        title={`Change ${user.username}`}
        size="lg"
      >
        <UserForm
          form={form}
          submit="Save"
          pending={update.isPending}
          onSubmit={(values) =>
            update.mutate(
              { params: { path: { id: user.id } }, body: changedOnly(userBody(values), userBody(valuesOf(user))) },
              { onError: showInForm(form) },
            )
          }
        />
      </FormModal>
    </>
  )
}

function Erasure({ user: { id, username } }: { readonly user: User }) {
  const go = useGo()
  const erase = useChange('delete', '/admin/v1/users/{id}', { expire: PEOPLE, onDone: () => go('/settings/users') })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Erase ${username}?`}
      consequence="Profile, tokens, memories, messages, reactions and files go for good. In direct conversations the other side keeps what it has said. Audit records keep keyed hashes. This cannot be taken back."
      onConfirm={() => erase.mutateAsync({ params: { path: { id } } })}
    >
      Erase
    </ConfirmButton>
  )
}
