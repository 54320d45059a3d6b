import { openDatabase } from './database';
import { Simulation } from './simulation';
async function main() {
  const db = await openDatabase();
  const from = Number(process.argv[2] ?? 1); const n = Number(process.argv[3] ?? 1);
  const t = process.cpuUsage();
  for (let s = from; s < from + n; s++) {
    const sim = new Simulation(s, db);
    const o = await sim.run();
    console.log(s, o.violation ? `${o.violation.invariant}: ${o.violation.text}` : 'ok', o.window, o.writes, o.crashes, o.trace.slice(0, 8), ((sim.now - 1.8e12)/1000).toFixed(0));
    if (o.violation && n === 1) console.log(sim.tell(process.argv[4] === 'all').join('\n'));
  }
  const c = process.cpuUsage(t); console.log('cpu per seed ms', (c.user + c.system) / 1000 / n);
  await db.close();
}
process.on('unhandledRejection', e => { console.log('UNHANDLED', e); process.exit(3); });
void main();
