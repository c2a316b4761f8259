// The viewer in headless Chromium. Usage: node test_viewer.mjs PROGRAM SOURCE_FOLDER PICTURES_FOLDER, with playwright-core to be
// found from the working folder. A fourth argument runs the tests whose names hold it.
import { testLive, testWatch } from './live.mjs';
import { testPage } from './page.mjs';
import { testCharts, testWheels } from './pages.mjs';
import { testPicture, testThrown, testTwoRuns, testWalker } from './picture.mjs';
import { begin, end } from './support.mjs';

const wanted = process.argv[5] ?? '';
await begin();
try {
  for (const test of [testPage, testPicture, testWalker, testThrown, testTwoRuns, testWheels, testCharts, testLive, testWatch])
    if (test.name.includes(wanted)) {
      console.log(test.name);
      await test();
    }
  console.log('viewer: all is as it should be');
} finally {
  await end();
}
