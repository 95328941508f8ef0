import { MultiSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { type Scope, useScopes, useSession, useSessionWorkspace } from '../../api/session.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'

interface Values {
  name: string
  /** Empty: all Workspaces. */
  workspace_ids: string[]
  scopes: Scope[]
}

/** Creates an admin token with a selection of the operator's own scopes and Workspaces. */
export function CreateButton({ onCreated }: { readonly onCreated: (token: string) => void }) {
  const { t } = useTranslation('tokens')
  const isInAll = useScopes().hasScopeInAll('operators:write')
  const current = useSessionWorkspace()
  const choices = useChoices()
  const form = useForm<Values>({
    initialValues: { name: '', workspace_ids: isInAll || !current ? [] : [current.id], scopes: [] },
    validate: {
      workspace_ids: (ids) => (isInAll || ids.length > 0 ? null : t('create.workspacesRequired')),
      scopes: (scopes) => (scopes.length === 0 ? t('create.scopesRequired') : null),
    },
  })
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/tokens', {
    refresh: ['/admin/v1/tokens'],
    onDone: ({ token }) => {
      dialog.dismiss()
      onCreated(token)
    },
  })
  const { workspace_ids } = form.getValues()
  const submit = ({ workspace_ids: ids, ...values }: Values) =>
    create.mutate({ body: { ...values, workspace_ids: ids.length > 0 ? ids : null } }, { onError: showFormError(form) })
  return (
    <FormDialog dialog={dialog} title={t('create.title')} label={t('create.label')} pending={create.isPending}>
      <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('create.submit')} pending={create.isPending}>
        <TextInput
          label={t('create.name')}
          description={t('create.nameHint')}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        {choices.workspaces.length > 1 && (
          <MultiSelect
            label={t('create.workspaces')}
            placeholder={isInAll && workspace_ids.length === 0 ? t('create.all') : ''}
            required={!isInAll}
            searchable
            clearable
            data={choices.workspaces.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps('workspace_ids')}
          />
        )}
        <MultiSelect
          label={t('create.scopes')}
          required
          searchable
          data={choices.scopesIn(workspace_ids)}
          {...form.getInputProps('scopes')}
        />
      </SubmitForm>
    </FormDialog>
  )
}

/** The Workspaces and scopes that the operator may grant. */
function useChoices() {
  const { workspaces = [], scopes = [] } = useSession().data ?? {}
  return {
    workspaces: workspaces.filter((one) => one.scopes.includes('operators:write')),
    /** The scopes that the operator has in all of these Workspaces; without any, in all Workspaces. */
    scopesIn: (ids: readonly string[]): Scope[] => {
      const [first, ...others] = workspaces.filter(({ id }) => ids.includes(id))
      if (!first) return [...scopes]
      return first.scopes.filter((scope) => others.every((one) => one.scopes.includes(scope)))
    },
  }
}
