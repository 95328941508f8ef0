import { Code } from '@mantine/core'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { EDIT_BUTTON, FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { AccessTokens } from './access-tokens.tsx'
import { projectsOf, USER_PATHS, type User } from './user.ts'
import { UserForm, userBody, useUserForm, valuesOf } from './user-form.tsx'

/** One user: profile and access tokens. */
export function Page() {
  const id = usePathParam('id')
  const { data: user, error, refetch } = useRead('/admin/v1/users/{id}', { params: { path: { id } } })
  const { hasScope } = useScopes()
  const canEdit = hasScope('people:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!user) return <PageSkeleton />
  const { projects: _, ...attributes } = user.attributes
  return (
    <Frame
      title={user.username}
      parent={{ to: '/settings/users', label: 'All users' }}
      actions={canEdit && <EraseButton user={user} />}
    >
      <Section title="Profile" actions={canEdit && <EditButton user={user} />}>
        <DescriptionList
          items={[
            ['ID', user.id],
            ['Role', user.role || '–'],
            ['Department', user.department || '–'],
            ['Projects', projectsOf(user).join(', ') || '–'],
            [
              'Other attributes',
              Object.keys(attributes).length > 0 ? <Code key="attributes">{JSON.stringify(attributes)}</Code> : null,
            ],
            ['Created', <Time key="created" at={user.created_at} />],
            [
              'Memory',
              hasScope('memory:read') ? (
                <Link key="memories" to="/memory" search={{ user: user.id }}>
                  View memories
                </Link>
              ) : null,
            ],
          ]}
        />
      </Section>
      <AccessTokens user={user} canEdit={canEdit} />
    </Frame>
  )
}

function EditButton({ user }: { readonly user: User }) {
  const form = useUserForm(user)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/users/{id}', { refresh: USER_PATHS, onDone: dialog.saved })
  useFormSync(form, valuesOf(user))
  return (
    <FormDialog dialog={dialog} title={`Edit ${user.username}`} {...EDIT_BUTTON} wide pending={update.isPending}>
      <UserForm
        form={form}
        submit="Save"
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id: user.id } }, body: changedFields(userBody(values), userBody(valuesOf(user))) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function EraseButton({ user: { id, username } }: { readonly user: User }) {
  const navigateTo = useNavigateTo()
  const erase = useChange('delete', '/admin/v1/users/{id}', { expire: USER_PATHS, onDone: () => navigateTo('/settings/users') })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Erase ${username}?`}
      consequence="Erases profile, tokens, memories, messages, reactions and files. In direct conversations, the other user keeps the messages that they sent. Audit records keep keyed hashes. This cannot be undone."
      onConfirm={() => erase.mutateAsync({ params: { path: { id } } })}
    >
      Erase
    </ConfirmButton>
  )
}
