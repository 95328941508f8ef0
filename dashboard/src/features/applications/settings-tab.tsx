import { Button, Fieldset, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { useFormSync } from '../../ui/use-form-sync.ts'
import { AccessFields } from './access-fields.tsx'
import type { Application } from './applications-page.tsx'
import { ClientFields } from './client-fields.tsx'
import { FeatureFields } from './feature-fields.tsx'
import { LimitFields } from './limit-fields.tsx'
import { patchOf, VALIDATORS, valuesOf } from './settings-values.ts'

/** Objects that the API merges field by field. */
const MERGED = ['limits', 'settings', 'settings.knowledge', 'settings.memory', 'settings.responses']

/** Settings of an Application. Read-only without the scope applications:write. */
export function SettingsTab({ application }: { readonly application: Application }) {
  const { t } = useTranslation('applications')
  const canEdit = useScopes().hasScope('applications:write')
  const form = useForm({ initialValues: valuesOf(application), validate: VALIDATORS })
  const update = useChange('patch', '/admin/v1/applications/{id}', {
    refresh: ['/admin/v1/applications'],
    onDone: () => notifySuccess(t('settings.saved')),
  })
  const { id } = application
  useFormSync(form, valuesOf(application))
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        update.mutate(
          { params: { path: { id } }, body: changedFields(patchOf(values), patchOf(form.getInitialValues()), MERGED) },
          { onSuccess: () => form.resetDirty(values), onError: showFormError(form) },
        ),
      )}
    >
      <Fieldset variant="unstyled" mx={0} disabled={!canEdit} aria-label={t('settings.label')}>
        <Stack>
          <AccessFields form={form} />
          <LimitFields form={form} />
          <ClientFields form={form} application={application} />
          <FeatureFields form={form} />
          {canEdit && (
            <Group justify="flex-end">
              <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
                {t('settings.discard')}
              </Button>
              <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
                {t('settings.save')}
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </form>
  )
}
