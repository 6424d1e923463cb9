import tap, { type Test } from 'tap'

/**
 * The `t` that the files of a worker import from tap: the test of the running file, with the
 * teardowns and results of this file only. It replaces the root, which ends only once in a process.
 */
let current: Test | undefined

export { current as default }

/**
 * A test that never ends. Without this test the root would be idle between two files, and could
 * end.
 */
const worker = new Promise<Test>((resolve) => {
  tap.test('worker', (test) => {
    resolve(test)
    return new Promise(() => {})
  })
})

/**
 * Runs a file as one test, which ends after the tests and teardowns of the file.
 * @param watch gets the surrounding test, which also has the errors of teardowns.
 */
export async function runFile(
  file: string,
  watch: (around: Test) => void,
  load: () => Promise<unknown>
): Promise<void> {
  await (await worker).test('files', async (around) => {
    watch(around)
    await around.test(file, async (test) => {
      current = test
      await load()
    })
  })
}
