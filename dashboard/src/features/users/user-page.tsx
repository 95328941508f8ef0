import { useTranslation } from 'react-i18next'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateTo, usePathParam } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { AccessTokens } from './access-tokens.tsx'
import { Profile } from './profile.tsx'
import { USER_PATHS, type User } from './user.ts'
import { UserForm, userBody, useUserForm, valuesOf } from './user-form.tsx'

/** One user: profile and access tokens. */
export function Page() {
  const { t } = useTranslation('users')
  const id = usePathParam('id')
  const { data: user, error, refetch } = useRead('/admin/v1/users/{id}', { params: { path: { id } } })
  const { hasScope } = useScopes()
  const canEdit = hasScope('people:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!user) return <PageSkeleton />
  return (
    <Frame
      title={user.username}
      parent={{ to: '/settings/users', label: t('all') }}
      actions={
        <>
          {hasScope('audit:read') && (
            <LinkButton to="/audit" search={{ user: id }} variant="default">
              {t('links.records')}
            </LinkButton>
          )}
          {hasScope('memory:read') && (
            <LinkButton to="/memory" search={{ user: id }} variant="default">
              {t('links.memories')}
            </LinkButton>
          )}
          {canEdit && <EditButton user={user} />}
          {canEdit && <EraseButton user={user} />}
        </>
      }
    >
      <Profile user={user} />
      <AccessTokens user={user} canEdit={canEdit} />
    </Frame>
  )
}

function EditButton({ user }: { readonly user: User }) {
  const { t } = useTranslation('users')
  const form = useUserForm(user)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/users/{id}', { refresh: USER_PATHS, onDone: dialog.saved })
  useFormSync(form, valuesOf(user))
  return (
    <FormDialog
      dialog={dialog}
      title={t('edit.title', { name: user.username })}
      label={t('edit.label')}
      variant="default"
      wide
      pending={update.isPending}
    >
      <UserForm
        form={form}
        submit={t('edit.submit')}
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id: user.id } }, body: changedFields(userBody(values), userBody(form.getInitialValues())) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function EraseButton({ user: { id, username } }: { readonly user: User }) {
  const { t } = useTranslation('users')
  const navigateTo = useNavigateTo()
  const erase = useChange('delete', '/admin/v1/users/{id}', { expire: USER_PATHS, onDone: () => navigateTo('/settings/users') })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={t('erase.question', { name: username })}
      consequence={t('erase.consequence')}
      onConfirm={() => erase.mutateAsync({ params: { path: { id } } })}
    >
      {t('erase.label')}
    </ConfirmButton>
  )
}
