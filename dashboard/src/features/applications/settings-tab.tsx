import { Button, Fieldset, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useChange } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { changedOnly } from '../../ui/changed-only.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { notifyDone } from '../../ui/notify.ts'
import { useEdited } from '../../ui/use-edited.ts'
import type { Application } from './applications-page.tsx'
import { FeatureFields } from './feature-fields.tsx'
import { LimitFields } from './limit-fields.tsx'
import { ReachFields } from './reach-fields.tsx'
import { PROBLEMS, patchOf, valuesOf } from './settings-values.ts'

/** What the API merges field by field. */
const MERGED = ['limits', 'settings', 'settings.knowledge', 'settings.memory']

/** Everything about an Application that can be changed; who may not change it sees it all the same. */
export function SettingsTab({ application }: { readonly application: Application }) {
  const changes = useScopes().may('applications:write')
  const form = useForm({ initialValues: valuesOf(application), validate: PROBLEMS })
  const update = useChange('patch', '/admin/v1/applications/{id}', {
    refresh: ['/admin/v1/applications'],
    onDone: () => notifyDone('Saved. It holds from the next request on.'),
  })
  const { id } = application
  useEdited(form, valuesOf(application))
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        update.mutate(
          { params: { path: { id } }, body: changedOnly(patchOf(values), patchOf(valuesOf(application)), MERGED) },
          { onSuccess: () => form.resetDirty(), onError: showInForm(form) },
        ),
      )}
    >
      <Fieldset variant="unstyled" disabled={!changes} aria-label="Settings">
        <Stack>
          <ReachFields form={form} />
          <LimitFields form={form} />
          <FeatureFields form={form} />
          {changes && (
            <Group justify="flex-end">
              <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
                Discard
              </Button>
              <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </form>
  )
}
