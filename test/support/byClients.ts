/** Calls `work` for each number below `count`, as many at a time as there are `clients`. */
export async function byClients(clients: number, count: number, work: (number: number) => Promise<unknown>) {
  let next = 0
  const client = async () => {
    for (let number = next++; number < count; number = next++) await work(number)
  }
  await Promise.all(Array.from({ length: clients }, client))
}
