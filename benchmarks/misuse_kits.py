"""Kits of objects that are used when they are missing, closed, ended, or set to fail: an operation that fails reads
less.

    make bench ARGS="serial-orders --only closed --jobs 2"

An operation that succeeds reads and writes the object that it acts on; one that fails may have read the one thing that
made it fail, or nothing at all. So these kits hold, for each object, the operation that brings it to its end, and
operations on it before and after that. One operation is one line.
"""

from __future__ import annotations

from typing import Final

from benchmarks.kits import Kit

#: Modules that their programs import, beside those of the other kits.
MISUSE_MODULES: Final = (
    "asyncio atexit collections.abc concurrent.futures dbm.dumb faulthandler fcntl fileinput gc gzip "
    "importlib.util logging.handlers resource selectors stat subprocess tarfile time tracemalloc"
).split()


def _kit(name: str, setup: str, operations: str, final: str = "None") -> Kit:
    return Kit(name, setup, tuple(each.strip() for each in operations.strip().splitlines()), final)


_FOLDER: Final = "folder = tempfile.mkdtemp()\nfile = os.path.join(folder, 'f')\n"
_LISTED: Final = "(sorted(os.listdir(folder)), shutil.rmtree(folder))[0]"

_PATHS: Final = (
    _kit(
        "names of files",
        _FOLDER + "open(file, 'w').close()",
        """os.remove(file)
        os.link(file, file + '2')
        os.symlink('f', file + '3')
        os.readlink(file + '3')
        os.rename(file, file + '2')
        os.replace(file + '2', file)
        os.unlink(file + '2')
        os.path.samefile(file, file + '2')
        os.stat(file).st_nlink
        os.path.islink(file + '3')
        os.path.realpath(file + '3')[-1:]
        os.lstat(file + '3').st_size
        os.path.exists(file + '3')
        os.mkfifo(file + '2')
        stat.S_ISFIFO(os.stat(file + '2').st_mode)
        pathlib.Path(file).hardlink_to(file + '2')
        pathlib.Path(file + '2').symlink_to('f')
        pathlib.Path(file + '2').resolve().name
        pathlib.Path(file).unlink(missing_ok=True)""",
        _LISTED,
    ),
    _kit(
        "folders",
        _FOLDER + "sub = os.path.join(folder, 'a', 'b')\nos.makedirs(sub)",
        """os.makedirs(sub)
        os.makedirs(sub, exist_ok=True)
        os.removedirs(os.path.join(folder, 'a', 'b'))
        os.rmdir(sub)
        os.rmdir(os.path.join(folder, 'a'))
        shutil.rmtree(os.path.join(folder, 'a'))
        shutil.rmtree(os.path.join(folder, 'a'), ignore_errors=True)
        open(os.path.join(sub, 'x'), 'w').close()
        [sorted(each[1] + each[2]) for each in os.walk(folder)]
        sorted(os.listdir(sub))
        os.mkdir(sub)
        shutil.copytree(os.path.join(folder, 'a'), os.path.join(folder, 'c'))[-1]
        shutil.move(os.path.join(folder, 'a'), os.path.join(folder, 'd'))[-1]
        os.rename(sub, os.path.join(folder, 'e'))
        sorted(each.name for each in pathlib.Path(folder).rglob('*'))
        glob.glob('a/*', root_dir=folder)
        os.path.isdir(sub)
        os.access(sub, os.W_OK)
        pathlib.Path(sub).rmdir()
        pathlib.Path(sub).mkdir(parents=True)
        os.scandir(sub).close()
        len(os.fwalk(folder).__next__()[1])""",
        "(sorted(each.name for each in pathlib.Path(folder).rglob('*')), shutil.rmtree(folder))[0]",
    ),
    _kit(
        "times and modes of files",
        _FOLDER + "open(file, 'w').close()\nos.utime(file, (10, 10))\nos.chmod(file, 0o600)",
        """os.chmod(file, 0o400)
        os.stat(file).st_mode & 0o777
        os.utime(file, (20, 20))
        os.path.getmtime(file)
        os.remove(file)
        os.access(file, os.X_OK)
        os.chmod(file, 0o700)
        pathlib.Path(file).chmod(0o500)
        pathlib.Path(file).touch(exist_ok=False)
        os.truncate(file, 3)
        os.path.getsize(file)
        shutil.copystat(file, folder)
        shutil.copymode(file, folder)
        os.pathconf(file, 'PC_NAME_MAX')
        os.statvfs(file).f_namemax
        os.setxattr(file, 'user.a', b'1')
        os.getxattr(file, 'user.a')
        os.listxattr(file)
        os.removexattr(file, 'user.a')
        os.chown(file, -1, -1)""",
        _LISTED,
    ),
    _kit(
        "contents of files",
        _FOLDER,
        """open(file, 'x').close()
        open(file).read()
        open(file, 'w').write('ab')
        open(file, 'a').write('c')
        open(file, 'r+').write('Z')
        pathlib.Path(file).read_bytes()
        pathlib.Path(file).write_bytes(b'xyz')
        shutil.copyfile(file, file + '2')[-1]
        shutil.copyfileobj(open(file), open(file + '2', 'w'))
        open(file + '2').readline()
        os.remove(file)
        linecache.getline(file, 1)
        linecache.checkcache(file)
        pathlib.Path(file).stat().st_size
        tokenize.open(file).read()
        os.path.getsize(file)
        os.listdir(folder)
        shutil.make_archive(file + 'z', 'tar', folder)[-4:]
        list(open(file))
        gzip.open(file, 'wb').close()
        gzip.open(file).read()
        exec(open(file).read())
        [*fileinput.input([file])]""",
        _LISTED,
    ),
    _kit(
        "temporary files",
        "folder = tempfile.mkdtemp()\nwhole = tempfile.TemporaryDirectory()\nnamed = tempfile.NamedTemporaryFile()\n"
        "spooled = tempfile.SpooledTemporaryFile(10)",
        """whole.cleanup()
        os.path.isdir(whole.name)
        open(os.path.join(whole.name, 'a'), 'w').close()
        named.close()
        os.path.exists(named.name)
        named.write(b'a')
        named.closed
        os.remove(named.name)
        spooled.write(b'abc')
        spooled.close()
        spooled.read()
        spooled.rollover()
        spooled.tell()
        spooled.closed
        setattr(tempfile, 'tempdir', folder)
        tempfile.gettempdir() == folder
        len(tempfile.mkdtemp(dir=folder)) > 3
        os.rmdir(folder)
        tempfile.mkstemp(dir=folder)[0] > 2
        len(os.listdir(folder))""",
    ),
    _kit(
        "working folder",
        _FOLDER + "before = os.getcwd()\nfolder += '/w/v'\nos.makedirs(folder + '/d')\nos.chdir(folder)",
        """os.chdir('d')
        os.chdir('..')
        os.path.basename(os.getcwd())
        os.listdir()
        open('x', 'w').close()
        os.path.exists('x')
        os.rmdir(folder + '/d')
        pathlib.Path.cwd().name
        os.path.abspath('x')[-3:]
        os.path.relpath(folder, 'd')[-2:]
        pathlib.Path('x').exists()
        os.mkdir('d')
        glob.glob('*')
        len(contextlib.chdir('d').__enter__() or 'ab')
        os.remove('x')
        os.getcwdb()[-2:]
        open('d/y', 'w').close()
        os.fchdir(os.open('.', os.O_RDONLY))""",
        "(os.getcwd()[-2:], os.chdir(before), shutil.rmtree(folder[:-4]))[0]",
    ),
    _kit(
        "locks of files",
        _FOLDER + "one = open(file, 'w')\ntwo = open(file, 'w')",
        """fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(two, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(one, fcntl.LOCK_UN)
        one.close()
        two.close()
        fcntl.flock(two, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.lockf(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.fcntl(one, fcntl.F_GETFL) & os.O_APPEND
        fcntl.fcntl(one, fcntl.F_SETFL, os.O_APPEND)
        os.remove(file)""",
    ),
)

_STREAMS: Final = (
    _kit(
        "bytes closed",
        "thing = io.BytesIO(b'abc')\nview = thing.getbuffer()",
        """thing.close()
        thing.read(1)
        thing.write(b'z')
        thing.getvalue()
        thing.closed
        thing.tell()
        thing.seek(0)
        thing.truncate(0)
        thing.readable()
        view.release()
        view.nbytes
        view.readonly
        view[0]
        view.obj is thing
        thing.getbuffer().nbytes
        list(thing)
        next(thing, None)
        thing.__enter__() is thing
        thing.flush()
        thing.isatty()
        thing.readinto(bytearray(2))
        thing.fileno()
        thing.writelines([b'q'])
        thing.detach()
        thing.__getstate__()[0]
        repr(view)[1:9]""",
        "thing.closed",
    ),
    _kit(
        "text closed",
        "thing = io.StringIO('abc')",
        """thing.close()
        thing.read(1)
        thing.write('z')
        thing.getvalue()
        thing.closed
        thing.line_buffering
        thing.newlines
        thing.encoding
        next(thing, None)
        thing.readable()
        thing.__exit__(None, None, None)
        thing.seek(1)
        print('a', file=thing)
        thing.__setstate__(('x', '', 0, None))
        vars(thing)
        setattr(thing, 'extra', 1)""",
        "thing.closed",
    ),
    _kit(
        "layers closed",
        "raw = io.BytesIO(b'abc\\n')\nmiddle = io.BufferedRandom(raw)\nthing = io.TextIOWrapper(middle, 'ascii')",
        """raw.close()
        middle.close()
        thing.close()
        thing.detach() is middle
        middle.detach() is raw
        thing.read(1)
        thing.write('z')
        thing.flush()
        middle.read(1)
        middle.peek(1)
        middle.raw is raw
        thing.buffer is middle
        thing.closed
        middle.closed
        raw.closed
        thing.encoding
        thing.errors
        thing.line_buffering
        thing.reconfigure(errors='replace')
        thing.reconfigure(newline='')
        raw.getvalue()
        thing.readable()
        middle.seekable()
        thing.tell()
        repr(thing)[1:9]
        thing.name""",
        "raw.closed or raw.getvalue()",
    ),
    _kit(
        "pairs of streams closed",
        "one = io.BytesIO(b'abc')\ntwo = io.BytesIO()\nthing = io.BufferedRWPair(one, two)\n"
        "thin = io.BufferedReader(io.BytesIO(b'xyz'))",
        """thing.close()
        thing.read(1)
        thing.write(b'q')
        thing.closed
        thing.flush()
        one.close()
        two.close()
        two.getvalue()
        thing.peek()
        thin.close()
        thin.read1(1)
        thin.closed
        thin.raw.closed
        thin.detach() and None
        thin.readinto1(bytearray(2))""",
    ),
    _kit(
        "view released",
        "data = bytearray(b'abcd')\nview = memoryview(data)\npart = view[1:]",
        """view.release()
        part.release()
        view.nbytes
        view.readonly
        view.format
        view.itemsize
        view.shape
        view.contiguous
        view.obj is data
        data.append(1)
        data.clear()
        len(view)
        view[0] = 9
        part[0]
        view == b'abcd'
        hash(view.toreadonly())
        view.cast('H').shape
        view.tolist()
        bytes(view)
        with view: pass
        view.__enter__() is view
        list(view)
        repr(view)[1:9]
        view.hex()
        view.strides
        struct.unpack_from('b', view)
        b''.join([view])
        part.nbytes""",
        "data",
    ),
    _kit(
        "map of memory closed",
        "thing = mmap.mmap(-1, 16)\nview = memoryview(thing)",
        """thing.close()
        view.release()
        thing.closed
        thing.read(1)
        thing[0]
        thing.size()
        len(thing)
        thing.resize(32)
        thing.tell()
        thing.flush()
        thing.find(b'a')
        thing.write_byte(97)
        thing.move(0, 1, 2)
        view[0] = 5
        view.nbytes
        with thing: pass
        repr(thing)[11:23]
        thing.madvise(mmap.MADV_NORMAL)""",
        "thing.closed",
    ),
    _kit(
        "database closed",
        "thing = sqlite3.connect(':memory:', check_same_thread=False)\nthing.execute('create table t(a)')\n"
        "cursor = thing.cursor()",
        """thing.close()
        cursor.close()
        thing.execute('insert into t values (1)').rowcount
        cursor.execute('select count(*) from t').fetchone()
        cursor.fetchall()
        thing.commit()
        thing.rollback()
        thing.in_transaction
        thing.total_changes
        thing.row_factory
        setattr(thing, 'row_factory', sqlite3.Row)
        cursor.arraysize
        cursor.rowcount
        cursor.lastrowid
        cursor.description
        cursor.connection is thing
        thing.cursor() and None
        thing.create_function('f', 0, lambda: 5)
        thing.execute('select f()').fetchone()
        thing.isolation_level
        setattr(thing, 'isolation_level', None)
        list(thing.iterdump())
        thing.interrupt()
        with thing: pass
        thing.execute('drop table t') and None
        thing.set_trace_callback(None)
        thing.text_factory""",
    ),
    _kit(
        "archives closed",
        "held = io.BytesIO()\nthing = zipfile.ZipFile(held, 'w')\nthing.writestr('a', b'1')\n"
        "store = io.BytesIO()\ntar = tarfile.open(fileobj=store, mode='w')",
        """thing.close()
        thing.writestr('b', b'2')
        thing.namelist()
        thing.read('a')
        thing.fp is None
        thing.testzip()
        thing.getinfo('b').file_size
        thing.comment
        setattr(thing, 'comment', b'c')
        thing.open('a').read()
        held.close()
        tar.close()
        tar.closed
        tar.addfile(tarfile.TarInfo('x'))
        tar.getnames()
        tar.getmember('x').size
        store.close()
        tar.offset
        tar.next()
        with thing: pass""",
        "(held.closed, tar.closed)",
    ),
    _kit(
        "compressed file closed",
        "held = io.BytesIO()\nthing = gzip.GzipFile(fileobj=held, mode='wb', mtime=1)\n"
        "packed = bz2.BZ2File(io.BytesIO(), 'w')",
        """thing.close()
        thing.write(b'a')
        thing.flush()
        thing.closed
        thing.tell()
        thing.writable()
        thing.mode
        held.close()
        held.closed or held.tell()
        packed.close()
        packed.write(b'b')
        packed.closed
        packed.tell()
        packed.writable()
        thing.fileobj is None""",
        "held.closed",
    ),
    _kit(
        "shelves closed",
        "folder = tempfile.mkdtemp()\nstore = dbm.dumb.open(os.path.join(folder, 's'))\nthing = shelve.Shelf(store)",
        """thing.close()
        store.close()
        thing['a'] = 1
        thing['a']
        thing.get('a', 5)
        'a' in thing
        len(thing)
        sorted(thing)
        store['b'] = b'2'
        store.get(b'b')
        store.keys()
        store.sync()
        thing.sync()
        del thing['a']
        thing.writeback
        with thing: pass
        os.listdir(folder) == []""",
    ),
    _kit(
        "csv and config",
        "out = io.StringIO()\nthing = csv.writer(out)\nsource = ['a,b', 'c,d']\nrows = csv.DictReader(source)\n"
        "csv.field_size_limit(1000)",
        """thing.writerow([1, 2])
        out.close()
        next(rows)
        rows.fieldnames
        setattr(rows, 'fieldnames', ['z'])
        rows.line_num
        csv.field_size_limit(1)
        csv.field_size_limit()
        next(csv.reader(['abc']))
        csv.register_dialect('mzk', delimiter=';')
        csv.unregister_dialect('mzk')
        csv.get_dialect('mzk').delimiter
        next(csv.reader(['a;b'], 'mzk'))
        'mzk' in csv.list_dialects()
        source.pop()""",
        "(out.closed, csv.field_size_limit(131072))",
    ),
)

_CONTROL: Final = (
    _kit(
        "generator ended",
        "def make():\n    try:\n        got = yield 1\n        yield got\n    finally:\n        kept.append(5)\n"
        "kept = []\nthing = make()",
        """thing.close()
        next(thing)
        thing.send(3)
        thing.send(None)
        thing.throw(KeyError)
        thing.gi_frame is None
        thing.gi_running
        thing.gi_suspended
        thing.gi_yieldfrom
        inspect.getgeneratorstate(thing)
        list(thing)
        kept.append(1)
        thing.__del__()
        inspect.getgeneratorlocals(thing)
        thing.gi_frame.f_lineno > 0
        thing.gi_frame.f_locals""",
        "kept",
    ),
    _kit(
        "coroutine ended",
        "async def make():\n    kept.append(1)\n    return 2\nkept = []\nthing = make()",
        """thing.close()
        thing.send(None)
        thing.throw(KeyError)
        thing.cr_frame is None
        thing.cr_running
        thing.cr_suspended
        inspect.getcoroutinestate(thing)
        thing.cr_await
        thing.__await__() and None
        asyncio.run(thing)
        kept.append(3)""",
        "(kept, thing.close())",
    ),
    _kit(
        "asynchronous generator ended",
        "async def make():\n    yield 1\n    yield 2\nthing = make()\ndef drive(awaited):\n    try:\n"
        "        awaited.send(None)\n"
        "    except StopIteration as stop:\n        return stop.value\n    return 'waits'",
        """drive(thing.__anext__())
        drive(thing.asend(None))
        drive(thing.aclose())
        drive(thing.athrow(KeyError))
        thing.ag_running
        thing.ag_frame is None
        thing.ag_await""",
    ),
    _kit(
        "iterators exhausted",
        "data = [1, 2]\nthing = iter(data)\nlooped = itertools.cycle(data)\nmade = iter(data.pop, 1)\n"
        "parts = itertools.islice(thing, 1)\npaired = zip(data, thing)\nnumbered = enumerate(data)\n"
        "back = reversed(data)",
        """next(thing)
        list(thing)
        thing.__length_hint__()
        thing.__reduce__()[1:]
        next(parts)
        list(parts)
        next(paired)
        next(numbered)
        next(looped)
        next(made)
        next(back)
        back.__length_hint__()
        data.append(3)
        data.clear()
        thing.__setstate__(0)
        back.__setstate__(0)
        list(numbered)
        operator.length_hint(thing)""",
        "data",
    ),
    _kit(
        "iterators of a dictionary",
        "data = {1: 1, 2: 2}\nthing = iter(data)\nback = reversed(data)\nchosen = {1, 2}\nsome = iter(chosen)\n"
        "line = collections.deque([1, 2])\nthrough = iter(line)\nordered = iter(collections.OrderedDict(data))",
        """next(thing)
        next(back)
        list(thing)
        data.pop(1)
        data[3] = 3
        data[1] = 9
        thing.__length_hint__()
        chosen.add(3)
        chosen.discard(1)
        next(some)
        list(some)
        some.__length_hint__()
        line.append(3)
        line.rotate(1)
        next(through)
        list(through)
        through.__length_hint__()
        next(ordered)""",
        "(data, sorted(chosen), list(line))",
    ),
    _kit(
        "weak references dead",
        "class Thing:\n    def go(self):\n        return 3\nbox = [Thing()]\nthing = weakref.ref(box[0])\n"
        "stand = weakref.proxy(box[0])\n"
        "way = weakref.WeakMethod(box[0].go)\nend = weakref.finalize(box[0], int)",
        """box.clear()
        thing() is None
        stand.go()
        stand.a
        setattr(stand, 'a', 1)
        bool(stand)
        repr(stand)[:9]
        way() is None
        way()()
        end.alive
        end()
        end.detach() is None
        end.peek() is None
        weakref.getweakrefcount(box[0])
        hash(thing) and None
        thing == weakref.ref(Thing())
        thing.__callback__
        setattr(end, 'atexit', False)
        end.atexit
        copy.copy(thing)() is None
        box.append(thing())""",
        "len(box)",
    ),
    _kit(
        "context variables",
        "thing = contextvars.ContextVar('thing', default=0)\nhere = contextvars.copy_context()\n"
        "tokens = [here.run(thing.set, 1)]",
        """here.run(thing.set, 2) and None
        here.run(thing.get)
        here.run(thing.reset, tokens[0])
        here[thing]
        here.get(thing)
        thing in here
        len(here)
        tokens[0].old_value is contextvars.Token.MISSING
        here.copy()[thing]
        list(here.values())
        thing.get()
        thing.reset(tokens[0])
        here.run(here.run, int)
        here.run(lambda: thing.reset(tokens[0]))
        (lambda enter: enter(thing.get))(here.run)
        list(map(here.run, [thing.get]))
        operator.methodcaller('run', thing.get)(here)
        contextvars.Context.run(here, thing.get)
        operator.methodcaller('reset', tokens[0])(thing)
        contextvars.ContextVar.reset(thing, tokens[0])
        list(map(thing.reset, tokens))
        functools.partial(here.run, thing.reset, tokens[0])()
        'used' in repr(tokens[0])
        'used' in f'{tokens[0]}'
        copy.copy(here)[thing]
        tokens.pop() and None""",
        "here.get(thing), 'used' in str(tokens)",
    ),
    _kit(
        "keys changed",
        "@dataclasses.dataclass(frozen=True)\nclass Key:\n    x: int\n"
        "@dataclasses.dataclass(unsafe_hash=True)\nclass Loose:\n    x: int\n"
        "    y: int = dataclasses.field(default=0, compare=False)\n"
        "key, loose = Key(1), Loose(1)\nthing = {key: 1, loose: 2, (key, 3): 4}\nkept = {(loose, 5)}\n"
        "@functools.lru_cache\ndef count(key): return 7",
        """object.__setattr__(key, 'x', 2)
        Key.x.__set__(key, 2) if '__slots__' in vars(Key) else vars(key).update(x=2)
        loose.x = 2
        setattr(loose, 'x', 2)
        loose.y = 2
        loose.__init__(2)
        del loose.x
        thing[key] = 8
        thing.get(key)
        thing.get(Key(1))
        Loose(1) in thing
        thing.setdefault(Key(2), 9)
        thing.pop(Key(1), None)
        thing.pop(loose, None)
        thing.update({key: 10})
        kept.add((Loose(1), 5))
        kept.discard((Loose(1), 5))
        len({*kept, (Loose(1), 5)})
        [Key(1)].index(key)
        key == Key(1)
        hash(loose) == hash(Loose(1))
        count(key)
        thing == {Key(1): 1, Loose(1): 2, (Key(1), 3): 4}
        sorted(map(str, thing.values()))""",
        "len(thing), len(kept), Key(1) in thing, Loose(1) in thing, Loose(2) in thing, key in thing, "
        "(Key(1), 3) in thing, repr(count.cache_info())",
    ),
    _kit(
        "exit stack closed",
        "kept = []\nthing = contextlib.ExitStack()\nthing.callback(kept.append, 1)\n"
        "once = contextlib.closing(io.StringIO())\n"
        "@contextlib.contextmanager\ndef make():\n    kept.append(2)\n    yield 3\n    kept.append(4)\nmade = make()",
        """thing.close()
        thing.callback(kept.append, 5) and None
        thing.pop_all() and None
        thing.push(kept.append) and None
        thing.enter_context(make())
        made.__enter__()
        made.__exit__(None, None, None)
        with made: kept.append(6)
        with once as out: out.write('a')
        once.thing.closed
        len(kept)
        with contextlib.suppress(KeyError): kept.append(7)""",
        "kept",
    ),
    _kit(
        "frames and tracebacks",
        "def fail():\n    value = 1\n    raise KeyError(1)\ntry:\n    fail()\nexcept KeyError as error:\n"
        "    thing = error",
        """thing.__traceback__.tb_next is None
        thing.with_traceback(None) and None
        traceback.clear_frames(thing.__traceback__)
        thing.__traceback__.tb_next.tb_frame.f_locals
        len(traceback.extract_tb(thing.__traceback__))
        setattr(thing.__traceback__, 'tb_next', None)
        thing.add_note('n')
        thing.__notes__
        traceback.format_exception_only(thing)
        setattr(thing, '__cause__', ValueError())
        thing.__suppress_context__
        repr(thing.__cause__)
        thing.args
        setattr(thing, '__notes__', 5)""",
        "repr(thing)",
    ),
)

_THREADING: Final = (
    _kit(
        "thread misused",
        "kept = []\nthing = threading.Thread(target=kept.append, args=(1,), name='own')",
        """thing.start()
        thing.join()
        thing.is_alive()
        thing.ident is None
        thing.native_id is None
        thing.name
        setattr(thing, 'name', 'other')
        setattr(thing, 'daemon', True)
        thing.daemon
        thing.run()
        thing.join(0)
        repr(thing)[:12]
        thing in threading.enumerate()
        threading.active_count()
        len(kept)
        thing.__init__(target=kept.append, args=(2,))
        any(each.name == 'own' for each in threading.enumerate())""",
        "kept",
    ),
    _kit(
        "timer misused",
        "kept = []\nthing = threading.Timer(0, kept.append, (1,))",
        """thing.start()
        thing.cancel()
        thing.join()
        thing.is_alive()
        thing.finished.is_set()
        len(kept)
        thing.finished.wait(0)
        thing.interval
        setattr(thing, 'args', (7,))""",
        "thing.ident and thing.join() or kept",
    ),
    _kit(
        "lock misused",
        "thing = threading.Lock()\nagain = threading.RLock()",
        """thing.release()
        thing.acquire(False)
        thing.acquire(timeout=0)
        thing.locked()
        repr(thing)[:9]
        again.release()
        again.acquire(False)
        repr(again)[:9]
        again._is_owned()
        thing.__exit__(None, None, None)
        again._release_save() and None
        with again: pass
        thing._at_fork_reinit()
        again._at_fork_reinit()""",
        "thing.locked()",
    ),
    _kit(
        "condition misused",
        "thing = threading.Condition()",
        """thing.notify()
        thing.notify_all()
        thing.wait(0)
        thing.release()
        thing.acquire(False)
        thing.wait_for(lambda: True)
        with thing: thing.notify()
        with thing: seen.append(thing.wait(0))
        thing._is_owned()
        repr(thing)[:22]
        len(thing._waiters)""",
    ),
    _kit(
        "semaphore misused",
        "thing = threading.BoundedSemaphore(1)\nfree = threading.Semaphore(0)",
        """thing.release()
        thing.acquire(False)
        thing.acquire(timeout=0)
        free.release(2)
        free.acquire(False)
        free._value
        thing._value
        repr(free)[-4:]
        with free: pass
        thing.__exit__(None, None, None)""",
        "(thing._value, free._value)",
    ),
    _kit(
        "barrier misused",
        "thing = threading.Barrier(1)\nwide = threading.Barrier(2)",
        """thing.abort()
        thing.reset()
        thing.wait()
        thing.broken
        thing.n_waiting
        wide.wait(0)
        wide.abort()
        wide.reset()
        wide.broken
        wide.n_waiting
        repr(wide)[:18]
        thing.parties""",
        "(thing.broken, wide.broken)",
    ),
    _kit(
        "event",
        "thing = threading.Event()",
        """thing.set()
        thing.clear()
        thing.is_set()
        thing.wait(0)
        repr(thing)[-6:]
        thing._at_fork_reinit()
        thing.__init__()""",
        "thing.is_set()",
    ),
    _kit(
        "queue misused",
        "thing = queue.Queue(1)\nplain = queue.SimpleQueue()",
        """thing.put_nowait(1)
        thing.get_nowait()
        thing.task_done()
        thing.join()
        thing.empty()
        thing.full()
        thing.qsize()
        thing.unfinished_tasks
        thing.maxsize
        setattr(thing, 'maxsize', 2)
        thing.put(2, timeout=0)
        thing.get(timeout=0)
        thing.put(3, timeout=-1)
        thing.queue.clear()
        list(thing.queue)
        plain.get_nowait()
        plain.put(1)
        plain.empty()
        plain.get(timeout=0)
        thing.shutdown()
        thing.shutdown(immediate=True)
        thing.is_shutdown""",
        "(list(thing.queue), thing.unfinished_tasks)",
    ),
    _kit(
        "executor shut down",
        "kept = []\nthing = concurrent.futures.ThreadPoolExecutor(1)",
        """thing.shutdown()
        thing.shutdown(wait=False, cancel_futures=True)
        thing.submit(kept.append, 1).result()
        thing.submit(len, 5).exception() is None
        list(thing.map(kept.append, [2, 3]))
        thing._shutdown
        thing._max_workers
        len(kept)
        with thing: pass
        thing.__enter__() is thing
        thing.submit(kept.append, 4) and None""",
        "(thing.shutdown(), kept)",
    ),
    _kit(
        "future ended",
        "kept = []\nthing = concurrent.futures.Future()",
        """thing.set_result(1)
        thing.set_exception(KeyError(2))
        thing.cancel()
        thing.cancelled()
        thing.done()
        thing.running()
        thing.result(0)
        thing.exception(0) is None
        thing.add_done_callback(lambda ended: kept.append(ended.done()))
        thing.set_running_or_notify_cancel()
        repr(thing)[-20:]
        kept.append(1)
        len(concurrent.futures.wait([thing], 0).done)
        [*concurrent.futures.as_completed([thing], 0)] and None""",
        "(thing._state, kept)",
    ),
    _kit(
        "loop closed",
        "kept = []\nthing = asyncio.new_event_loop()\nasync def work():\n    kept.append(1)\n    return 2",
        """thing.close()
        thing.is_closed()
        thing.is_running()
        thing.call_soon(kept.append, 3) and None
        thing.call_soon_threadsafe(kept.append, 4) and None
        thing.run_until_complete(work())
        thing.stop()
        thing.run_until_complete(asyncio.sleep(0, 5))
        thing.create_future() and None
        thing.get_debug()
        thing.set_debug(True)
        thing.run_in_executor(None, kept.append, 6) and None
        asyncio.run_coroutine_threadsafe(work(), thing) and None
        thing.get_exception_handler()
        thing.set_exception_handler(print)
        thing.time() > 0
        asyncio.set_event_loop(thing)""",
        "(thing.is_closed(), kept, thing.close())[:2]",
    ),
    _kit(
        "primitives of asyncio",
        "thing = asyncio.Event()\nline = asyncio.Queue(1)\ngate = asyncio.Semaphore(1)\nheld = asyncio.Lock()",
        """thing.set()
        thing.clear()
        thing.is_set()
        line.put_nowait(1)
        line.get_nowait()
        line.full()
        line.task_done()
        gate.locked()
        gate.release()
        held.release()
        held.locked()
        line.qsize()
        repr(thing)[-8:]""",
        "(thing.is_set(), line.qsize())",
    ),
    _kit(
        "thread's own",
        "thing = threading.local()\nthing.a = 1\nmain = threading.main_thread()\nthreading.stack_size(0)",
        """thing.a
        setattr(thing, 'a', 2)
        main.is_alive()
        main.name
        setattr(main, 'name', 'M')
        threading.stack_size(65536)
        threading.stack_size()
        threading.setprofile(None)
        threading.getprofile()
        threading.settrace(None)
        threading.gettrace()
        setattr(threading, 'excepthook', print)
        threading.excepthook is threading.__excepthook__
        threading.current_thread().daemon
        threading.current_thread() is main""",
        "(vars(thing), main.name, threading.stack_size(0))",
    ),
)

_PROCESS: Final = (
    _kit(
        "child ended",
        "thing = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\nthing.stdin.close()",
        """thing.wait()
        thing.poll()
        thing.returncode
        thing.kill()
        thing.terminate()
        thing.communicate()
        thing.stdout.read()
        thing.stdout.close()
        thing.stdout.closed
        thing.send_signal(0)
        thing.stdin.closed
        thing.stdin.write(b'a')
        thing.args
        with thing: pass
        thing.wait(timeout=5)
        os.waitpid(thing.pid, os.WNOHANG)[0] > 0""",
        "(thing.stdout.closed or thing.stdout.close(), thing.wait())[1] is None",
    ),
    _kit(
        "resource limits",
        "before = resource.getrlimit(resource.RLIMIT_CORE)\nresource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))",
        """resource.getrlimit(resource.RLIMIT_CORE)[0]
        resource.setrlimit(resource.RLIMIT_CORE, (1, before[1]))
        resource.prlimit(0, resource.RLIMIT_CORE)[0]
        resource.prlimit(0, resource.RLIMIT_CORE, (2, before[1]))[0]
        resource.setrlimit(resource.RLIMIT_CORE, (5, 4))""",
        "resource.getrlimit(resource.RLIMIT_CORE)[0]",
    ),
    _kit(
        "signals",
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)\nsignal.setitimer(signal.ITIMER_VIRTUAL, 0)\n"
        "signal.pthread_sigmask(signal.SIG_SETMASK, [])",
        """signal.getsignal(signal.SIGUSR1)
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        signal.siginterrupt(signal.SIGUSR1, False)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
        sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))
        signal.sigpending()
        signal.setitimer(signal.ITIMER_VIRTUAL, 1000)[0] > 0
        signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0
        signal.alarm(0)
        signal.alarm(1000)
        signal.set_wakeup_fd(-1)
        signal.raise_signal(signal.SIGUSR1)""",
        "signal.alarm(0) > 0",
    ),
    _kit(
        "collector",
        "gc.enable()\ngc.unfreeze()\ngc.set_threshold(700, 10, 10)\ngc.callbacks.clear()",
        """gc.disable()
        gc.enable()
        gc.isenabled()
        gc.get_threshold()
        gc.set_threshold(5, 5, 5)
        gc.callbacks.append(print)
        len(gc.callbacks)
        gc.set_debug(0)
        gc.get_debug()
        gc.freeze()
        gc.get_freeze_count() > 0
        gc.unfreeze()""",
        "(gc.isenabled(), gc.callbacks.clear(), gc.unfreeze(), gc.enable())[0]",
    ),
    _kit(
        "end of the process",
        "kept = []\natexit._clear()",
        """atexit.register(kept.append, 1) and None
        atexit.unregister(kept.append)
        atexit._ncallbacks()
        atexit._run_exitfuncs()
        atexit._clear()
        len(kept)""",
        "(atexit._ncallbacks(), atexit._clear(), kept)",
    ),
    _kit(
        "hooks of the interpreter",
        "sys.setprofile(None)\nsys.settrace(None)\nsys.displayhook = sys.__displayhook__\nkept = []",
        """setattr(sys, 'displayhook', kept.append)
        sys.displayhook(1)
        sys.displayhook is sys.__displayhook__
        sys.flags.optimize
        setattr(sys, 'tracebacklimit', 0)
        hasattr(sys, 'tracebacklimit')
        delattr(sys, 'tracebacklimit')
        setattr(sys, 'argv', ['x'])
        sys.argv[0][-1:]
        setattr(sys, 'dont_write_bytecode', True)
        sys.dont_write_bytecode
        sys.set_int_max_str_digits(700)
        sys.get_int_max_str_digits()
        len(str(10 ** 800))
        int('1' * 800) > 0
        sys.breakpointhook is sys.__breakpointhook__
        setattr(sys, 'breakpointhook', lambda: 7)
        breakpoint()
        sys.set_coroutine_origin_tracking_depth(1)
        sys.get_coroutine_origin_tracking_depth()
        faulthandler.enable(open(os.devnull, 'w'))
        faulthandler.is_enabled()
        faulthandler.disable()
        tracemalloc.is_tracing()
        tracemalloc.start()
        tracemalloc.stop()
        sys.intern('mzk') == 'mzk'
        setattr(sys, 'ps1', 'a')
        getattr(sys, 'ps1', 'none')
        sys.addaudithook(print) if False else None""",
        "(sys.set_int_max_str_digits(4300), faulthandler.disable(), tracemalloc.stop(), kept)[-1]",
    ),
    _kit(
        "modules taken away",
        "import sched\nsys.modules.pop('mzk_a', None)\nmade = types.ModuleType('mzk_a')\nmade.n = 1\n"
        "sys.modules['mzk_a'] = made\nmissing = 'mzk_none'",
        """importlib.import_module('mzk_a').n
        sys.modules.pop('mzk_a', None) and None
        __import__('mzk_a').n
        importlib.reload(made)
        importlib.util.find_spec('mzk_a')
        'mzk_a' in sys.modules
        sys.modules['mzk_a'] = None
        from mzk_a import n; seen.append(n)
        import mzk_a
        importlib.invalidate_caches()
        setattr(made, 'n', 2)
        delattr(made, 'n')
        made.n
        sys.modules['mzk_a'] = types.SimpleNamespace(n=9)
        sys.path.append('mzk_path')
        sys.path[-1] == 'mzk_path'
        sys.meta_path.append(None) if False else None
        dir(made)[-1]
        vars(made).clear()
        inspect.getmodule(made) is made
        made.__name__""",
        "(sys.modules.pop('mzk_a', None), 'mzk_path' in sys.path and sys.path.remove('mzk_path'))[1]",
    ),
    _kit(
        "importable module",
        "folder = tempfile.mkdtemp()\nopen(os.path.join(folder, 'mzk_b.py'), 'w').write('n = 1')\n"
        "sys.modules.pop('mzk_b', None)",
        """sys.path.insert(0, folder)
        importlib.import_module('mzk_b').n
        import mzk_b
        sys.path.remove(folder)
        sys.modules.pop('mzk_b', None) and None
        importlib.util.find_spec('mzk_b') is None
        open(os.path.join(folder, 'mzk_b.py'), 'w').write('n = 2')
        os.remove(os.path.join(folder, 'mzk_b.py'))
        'mzk_b' in sys.modules
        sys.path_importer_cache.pop(folder, None) and None
        os.listdir(folder)""",
        "(folder in sys.path and sys.path.remove(folder), 'mzk_b' in sys.modules, sys.modules.pop('mzk_b', None), "
        "shutil.rmtree(folder))[1]",
    ),
    _kit(
        "time zone",
        "os.environ['TZ'] = 'UTC'\ntime.tzset()",
        """os.environ.update(TZ='EST5EDT')
        time.tzset()
        time.localtime(0).tm_hour
        time.tzname[0]
        time.timezone
        datetime.datetime.fromtimestamp(0).hour
        time.mktime((1970, 1, 1, 0, 0, 0, 0, 0, 0))
        time.strftime('%Z', time.localtime(0))
        datetime.datetime(1970, 1, 1).astimezone().utcoffset().seconds
        time.ctime(0)[11:13]
        os.environ.pop('TZ')""",
        "(time.tzname[0], os.environ.update(TZ='UTC'), time.tzset())[0]",
    ),
    _kit(
        "locale changed",
        "locale.setlocale(locale.LC_ALL, 'C')",
        """locale.setlocale(locale.LC_ALL, 'C.UTF-8')
        locale.setlocale(locale.LC_NUMERIC, 'nowhere')
        locale.setlocale(locale.LC_CTYPE)
        locale.getlocale()
        locale.localeconv()['decimal_point']
        locale.setlocale(locale.LC_CTYPE, 'C')
        locale.strcoll('a', 'B') > 0
        locale.getpreferredencoding()
        f'{1.5:n}'
        time.strftime('%A', (2000, 1, 1, 0, 0, 0, 0, 0, 0))""",
        "locale.setlocale(locale.LC_ALL, 'C')",
    ),
    _kit(
        "numbers of the process",
        "os.nice(0)\nos.umask(0o22)\nmask = os.sched_getaffinity(0)",
        """os.nice(1)
        os.getpriority(os.PRIO_PROCESS, 0) > 0
        os.umask(0o77)
        os.sched_getaffinity(0) == mask
        os.sched_setaffinity(0, {min(mask)})
        len(os.sched_getaffinity(0)) > 1
        os.getpgid(0) == os.getpid()
        os.setpgid(0, 0)
        os.getsid(0) == os.getpid()
        os.get_inheritable(0)
        os.set_inheritable(0, True)
        os.times().user >= 0
        os.cpu_count() > 1
        os.getgroups() and None
        os.umask(0o22)
        os.setpriority(os.PRIO_PROCESS, 0, 5)
        os.ctermid()
        os.supports_fd and None""",
        "(os.umask(0o22), os.sched_setaffinity(0, mask))[0]",
    ),
)

_REGISTRIES: Final = (
    _kit(
        "handlers closed",
        "out = io.StringIO()\nthing = logging.StreamHandler(out)\nlog = logging.Logger('mzk')\nlog.addHandler(thing)\n"
        "kept = logging.handlers.MemoryHandler(10, target=thing)\nlogging.raiseExceptions = False",
        """log.warning('a')
        thing.close()
        out.close()
        thing.flush()
        thing.setStream(io.StringIO()) and None
        kept.close()
        kept.emit(log.makeRecord('n', 30, 'f', 1, 'b', (), None))
        kept.flush()
        kept.setTarget(None)
        len(kept.buffer)
        log.removeHandler(thing)
        log.hasHandlers()
        log.handlers.clear()
        thing.setFormatter(logging.Formatter('<%(message)s>'))
        thing.setLevel(50)
        thing.addFilter(lambda record: False)
        log.setLevel('NONE')
        log.isEnabledFor(10)
        log.disabled
        setattr(log, 'disabled', True)
        logging.disable(50)
        logging.getLevelName(35)
        logging.addLevelName(35, 'MZK')
        log.log(35, 'c')
        log.propagate
        thing.acquire()
        thing.createLock()
        thing.name
        thing.set_name('own')
        logging.getHandlerByName('own') is thing
        logging.shutdown([])""",
        "(logging.disable(0), out.closed or out.getvalue())[1]",
    ),
    _kit(
        "root of logging",
        "root = logging.getLogger()\nroot.handlers[:] = []\nroot.setLevel(30)\nout = io.StringIO()",
        """logging.basicConfig(stream=out, format='%(message)s', level=10)
        logging.warning('w')
        logging.info('i')
        root.handlers[:] = []
        logging.getLogger('mzk.a').warning('x')
        logging.getLogger('mzk.a').propagate = False
        logging.getLogger('mzk.a').getEffectiveLevel()
        logging.captureWarnings(True)
        logging.captureWarnings(False)
        logging.setLogRecordFactory(logging.LogRecord)
        logging.getLoggerClass().__name__
        logging.setLoggerClass(logging.Logger)
        root.getEffectiveLevel()
        'mzk.b' in logging.root.manager.loggerDict
        logging.getLogger('mzk.b') and None
        logging.lastResort is None
        setattr(logging, 'lastResort', None)
        out.close()
        logging.basicConfig(force=True, stream=out, format='F%(message)s')""",
        "(setattr(root, 'handlers', []), out.closed or out.getvalue())[1]",
    ),
    _kit(
        "registry of codecs",
        "def find(name):\n    return codecs.lookup('ascii') if name == 'mzk_c' else None\n",
        """codecs.register(find)
        codecs.unregister(find)
        codecs.lookup('mzk_c').name
        'a'.encode('mzk_c')
        b'a'.decode('mzk_c')
        codecs.register_error('mzk_e', lambda error: ('?', error.end))
        codecs.lookup_error('mzk_e') and None
        'ä'.encode('ascii', 'mzk_e')
        codecs.register_error('mzk_e', lambda error: ('!', error.end))""",
        "codecs.unregister(find)",
    ),
    _kit(
        "traps of decimals",
        "thing = decimal.Context(prec=3)\ndecimal.setcontext(decimal.Context())",
        """thing.traps.__setitem__(decimal.Inexact, True)
        thing.divide(1, 3)
        thing.divide(1, 0)
        thing.traps.__setitem__(decimal.DivisionByZero, False)
        thing.clear_traps()
        thing.flags[decimal.Inexact]
        thing.clear_flags()
        setattr(thing, 'Emax', 2)
        thing.create_decimal('1E5')
        thing.copy().prec
        repr(thing)
        setattr(thing, 'prec', 0)
        setattr(thing, 'rounding', 'ROUND_UP')
        decimal.DefaultContext.prec
        setattr(decimal.DefaultContext, 'prec', 9)
        with decimal.localcontext(thing): seen.append(decimal.Decimal(2) / 3)
        decimal.Context().prec
        decimal.getcontext().prec
        thing.sqrt(-1)
        decimal.Decimal('NaN').is_nan() and thing.compare_signal(decimal.Decimal('NaN'), 1)""",
        "(thing.prec, setattr(decimal.DefaultContext, 'prec', 28))",
    ),
    _kit(
        "warnings once",
        "warnings.resetwarnings()\nwarnings.simplefilter('default')\nwarnings.onceregistry.clear()\n"
        "kept = []\nwarnings.showwarning = lambda *given, **named: kept.append(1)\ndef warn():\n"
        "    warnings.warn('mzk')",
        """warn()
        warnings.filterwarnings('error', 'mzk')
        warnings.filterwarnings('ignore', category=UserWarning)
        globals().get('__warningregistry__', {}).clear()
        '__warningregistry__' in globals()
        warnings.warn_explicit('mzk', UserWarning, 'f', 1)
        warnings.simplefilter('once')
        warnings.resetwarnings()
        setattr(warnings, 'showwarning', print) if False else len(kept)
        warnings.warn('dep', DeprecationWarning)
        len(warnings.filters)
        warnings.onceregistry.clear()""",
        "len(kept)",
    ),
    _kit(
        "abstract classes",
        "class Shape(abc.ABC):\n    @abc.abstractmethod\n    def area(self):\n        return 1\nclass Own(Shape):\n"
        "    pass\nclass Far:\n    pass",
        """Own()
        setattr(Own, 'area', lambda self: 2)
        abc.update_abstractmethods(Own) and None
        sorted(Own.__abstractmethods__)
        setattr(Own, '__abstractmethods__', frozenset())
        isinstance(Far(), Shape)
        Shape.register(Far) and None
        issubclass(Far, Shape)
        Shape.register(Shape) and None
        inspect.isabstract(Own)
        abc.get_cache_token() > 0
        setattr(Far, '__subclasshook__', None)
        Shape.__subclasshook__ = classmethod(lambda cls, other: True)
        isinstance(5, Shape)
        isinstance([], collections.abc.Sized)
        collections.abc.Sized.register(Far) and None
        isinstance(Far(), collections.abc.Sized)
        Far.__len__ = lambda self: 3""",
        "sorted(Own.__abstractmethods__)",
    ),
    _kit(
        "protocols",
        "@typing.runtime_checkable\nclass Goes(typing.Protocol):\n    def go(self): ...\nclass Own:\n    pass\n"
        "thing = Own()",
        """isinstance(thing, Goes)
        setattr(Own, 'go', lambda self: 1)
        setattr(thing, 'go', None)
        delattr(Own, 'go')
        issubclass(Own, Goes)
        thing.go()
        Goes()
        vars(thing).clear()
        hasattr(thing, 'go')""",
        "isinstance(thing, Goes)",
    ),
    _kit(
        "members of enumerations",
        "class Own(enum.Enum):\n    A = 1\n    @classmethod\n    def _missing_(cls, value):\n"
        "        return kept.get(value)\nkept = {}",
        """Own(1).name
        Own(2)
        kept.update({2: Own.A})
        Own['B']
        Own.A.value
        setattr(Own.A, '_value_', 5)
        Own.A = 3
        del Own.A
        del Own.Z
        setattr(Own, 'B', 7)
        Own.B
        list(Own)
        Own._member_map_.pop('A') and None
        Own._value2member_map_.clear()
        Own.A in Own
        1 in Own
        len(Own)
        'A' in Own.__members__
        repr(Own.A)
        hash(Own.A) and None""",
        "len(Own)",
    ),
    _kit(
        "data classes changed",
        "@dataclasses.dataclass(frozen=True)\nclass Cold:\n    a: int = 1\n@dataclasses.dataclass\nclass Own:\n"
        "    a: int = 1\n    b: int = 2\n"
        "cold = Cold()\nthing = Own()",
        """cold.a = 5
        object.__setattr__(cold, 'a', 6)
        cold.a
        hash(cold) and None
        {cold: 1}.get(Cold())
        del thing.a
        thing.a
        repr(thing)
        thing == Own()
        delattr(Own, 'a')
        setattr(Own, 'a', 9)
        [each.name for each in dataclasses.fields(Own)]
        Own.__dataclass_fields__.pop('b') and None
        dataclasses.asdict(thing)
        dataclasses.is_dataclass(Own)
        delattr(Own, '__dataclass_fields__')
        dataclasses.replace(thing, a=3)
        Own(7).a
        Own.__match_args__
        setattr(Own, '__init__', object.__init__)""",
        "repr(cold)",
    ),
    _kit(
        "selectors closed",
        "ends = socket.socketpair()\nthing = selectors.SelectSelector()",
        """thing.register(ends[0], selectors.EVENT_READ) and None
        thing.unregister(ends[0]) and None
        thing.close()
        len(thing.select(0))
        thing.get_map() is None
        thing.get_key(ends[0]) and None
        thing.modify(ends[0], selectors.EVENT_WRITE) and None
        ends[0].close()
        ends[1].send(b'a')
        ends[1].close()
        len(thing.get_map())
        with thing: pass""",
        "(ends[0].close(), ends[1].close(), thing.close())",
    ),
    _kit(
        "sockets closed",
        "ends = socket.socketpair()\nends[0].setblocking(False)\nends[1].setblocking(False)",
        """ends[0].close()
        ends[1].close()
        ends[0].detach() > 0
        ends[0].shutdown(socket.SHUT_RD)
        ends[1].shutdown(socket.SHUT_RDWR)
        ends[0].send(b'a')
        ends[1].recv(4)
        ends[0].getsockname()
        ends[0].getpeername()
        ends[0].getsockopt(socket.SOL_SOCKET, socket.SO_TYPE)
        ends[0].setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        ends[0].getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        ends[0].getblocking()
        ends[0].settimeout(3)
        ends[0].gettimeout()
        ends[0].family == socket.AF_UNIX
        ends[0].proto
        ends[0].fileno() > 0
        ends[0].get_inheritable()
        ends[0].set_inheritable(True)
        ends[0].dup().close()
        ends[0].makefile('rb').close()
        ends[0].recv_into(bytearray(2))
        ends[0].sendmsg([b'b'])
        ends[1].recvmsg(3)[0]
        ends[0].sendto(b'c', 'nowhere')
        with ends[0]: pass
        ends[0].listen()
        ends[0].accept()
        ends[0].bind('x')
        ends[0].connect('y')
        ends[0].connect_ex('y')
        repr(ends[0])[:15]""",
        "(ends[0].close(), ends[1].close())",
    ),
    _kit(
        "listeners closed",
        "thing = socket.create_server(('127.0.0.1', 0))\nthing.settimeout(0)\nplace = thing.getsockname()\n"
        "other = socket.socket()\nother.settimeout(0.5)",
        """thing.close()
        other.connect(place)
        other.connect_ex(place)
        other.close()
        thing.accept() and None
        other.getpeername() == place
        other.send(b'a')
        thing.listen(5)
        thing.getsockname() == place
        thing.shutdown(socket.SHUT_RDWR)
        socket.create_connection(place, 0.5).close()
        other.bind(('127.0.0.1', 0))
        other.getsockname()[1] > 0""",
        "(thing.close(), other.close())",
    ),
    _kit(
        "calls of mocks",
        "thing = unittest.mock.Mock(return_value=1)",
        """thing(1)
        thing.called
        thing.call_count
        thing.assert_called_once()
        thing.assert_not_called()
        thing.reset_mock()
        setattr(thing, 'side_effect', KeyError)
        setattr(thing, 'return_value', 5)
        thing.method(2) and None
        thing.mock_calls == []
        delattr(thing, 'method')
        thing.method.called
        len(thing.method_calls)
        thing.mock_add_spec(['a'])
        thing.a and None
        thing.assert_called_with(1)""",
        "thing.call_count",
    ),
    _kit(
        "attributes looked up",
        "class Own:\n    def __getattr__(self, name):\n        return kept[name]\n    def __len__(self):\n"
        "        return kept['size']\n"
        "class Base:\n    pass\nkept = {'size': 1}\nthing = Own()",
        """thing.a
        hasattr(thing, 'a')
        getattr(thing, 'a', 5)
        kept.update(a=2)
        kept.clear()
        len(thing)
        bool(thing)
        list(thing)
        setattr(thing, 'a', 3)
        del thing.a
        delattr(Own, '__getattr__')
        delattr(Own, '__len__')
        Own.__bases__ = (Base,)
        setattr(Own, '__iter__', lambda self: iter('ab'))
        setattr(Own, '__class_getitem__', lambda key: key)
        Own[1]
        thing[0]
        setattr(Own, '__getitem__', lambda self, key: key)
        thing()
        setattr(Own, '__call__', lambda self: 4)
        setattr(thing, '__class__', Base)
        type(thing).__name__
        thing + 1
        setattr(Own, '__add__', lambda self, other: 7)
        1 + thing
        setattr(Own, '__radd__', lambda self, other: 8)
        with thing: pass
        setattr(Own, '__enter__', lambda self: 1)
        -thing
        int(thing)
        setattr(Own, '__int__', lambda self: 6)
        thing < thing
        thing in thing
        reversed(thing) and None
        f'{thing:x}'
        operator.index(thing)
        callable(thing)
        isinstance(thing, collections.abc.Iterable)
        copy.copy(thing) is thing
        vars(thing)
        round(thing)""",
        "sorted(vars(thing))",
    ),
    _kit(
        "missing names",
        "data = {}\nnote = []\nbox = types.SimpleNamespace()",
        """data['a']
        data.pop('a')
        del data['a']
        data['a'] = 1
        note[0]
        note.pop()
        note.remove(1)
        note.index(1)
        note.append(1)
        del note[:]
        box.a
        del box.a
        box.a = 1
        data.popitem()
        first, = note
        [first] = note[:1]
        sum(data)
        max(note)
        max(data, default=0)
        min(data.values())
        next(iter(note))
        next(iter(data))
        operator.itemgetter('a')(data)
        operator.itemgetter(0)(note)
        operator.attrgetter('a')(box)
        '{a}'.format(**data)
        '{0}'.format(*note)
        '%(a)s' % data
        '{0[a]}'.format(data)
        '{0.a}'.format(box)
        f'{box.a}'
        string.Template('$a').substitute(data)
        string.Template('$a').safe_substitute(data)
        functools.reduce(operator.add, note)
        random.Random(1).choice(note)
        statistics.mean(note)
        collections.ChainMap(data)['a']
        int(*note)
        dict(a=2, **data)
        (lambda a: a)(**data)
        (lambda a: a)(*note)
        eval('a', data)
        exec('del a', data)
        eval('a', {}, data)
        heapq.heappop(note)
        bisect.bisect(note, 1)
        array.array('i', note).pop()
        bytes(note)[0]
        bytearray(note).pop()
        collections.deque(note).pop()
        set(note).pop()
        frozenset(data) & {'a'}
        iter(note).__next__()
        note.__getitem__(0)
        note.__delitem__(0)
        data.__getitem__('a')
        'abc'.translate({97: note})
        note[0:1][0]
        note[0] += 1
        data['a'] += 1
        box.a += 1
        getattr(box, 'a')
        vars(box)['a']
        setattr(box, 'b', box.a)
        isinstance(1, tuple(data.values()))
        issubclass(int, tuple(note))
        json.dumps(data, default=None)
        zip(*note)
        print(*note, sep=None, file=io.StringIO())
        math.prod(note) // len(note)
        1 / len(data)
        struct.pack('i', *note)
        datetime.date(2000, *note, 1)
        re.compile('a')._x if data else None
        memoryview(bytes(note))[0]
        range(*note)[0]
        slice(*note) and None
        type('T', tuple(note), {})
        getattr(box, *data)
        setattr(*note)
        hasattr(box, *data)
        pow(*note)
        divmod(1, *note)
        complex(*note)
        str(b'a', *data)
        open(*note).close() if not note else None""",
        "(data.pop('__builtins__', None) and None, data, note, box)",
    ),
    _kit(
        "parsers fed",
        "thing = html.parser.HTMLParser()\nfed = xml.etree.ElementTree.XMLParser()\n"
        "pulled = xml.etree.ElementTree.XMLPullParser()\narguments = argparse.ArgumentParser(exit_on_error=False)",
        """thing.feed('<a')
        thing.close()
        thing.rawdata
        thing.reset()
        fed.feed('<a>')
        fed.feed('</a>')
        fed.close() and None
        pulled.feed('<b/>')
        pulled.close()
        len(list(pulled.read_events()))
        arguments.add_argument('--a', default=1)
        arguments.parse_args([]).a
        vars(arguments.parse_args(['--a', '3']))
        arguments.set_defaults(a=5)
        arguments.get_default('a')""",
    ),
    _kit(
        "decoders ended",
        "packed = zlib.compress(b'abc' * 9)\nthing = zlib.decompressobj()\nmaker = zlib.compressobj()\n"
        "block = bz2.BZ2Decompressor()\n"
        "text = codecs.getincrementaldecoder('utf-8')('strict')",
        """thing.decompress(packed)
        thing.flush()
        thing.eof
        thing.unused_data
        thing.copy().eof
        maker.flush() and None
        maker.compress(b'a')
        maker.copy() and None
        block.decompress(bz2.compress(b'x'))
        block.eof
        block.needs_input
        text.decode(b'\\xff')
        text.decode(b'\\xc3')
        text.decode(b'', True)
        text.reset()
        text.getstate()
        text.setstate((b'\\xc3', 0))
        setattr(text, 'errors', 'replace')
        text.errors""",
    ),
    _kit(
        "dispatch and caches",
        "@functools.lru_cache(1)\ndef thing(key):\n    if key not in kept:\n        raise KeyError(key)\n"
        "    return kept[key]\nkept = {}\n"
        "class Own:\n    @functools.cached_property\n    def p(self):\n        return kept['p']\n"
        "    @functools.singledispatchmethod\n"
        "    def go(self, given):\n        return 1\nown = Own()",
        """thing('a')
        thing('b')
        kept.update(a=1, p=2)
        kept.clear()
        thing.cache_clear()
        thing.cache_info()
        own.p
        del own.p
        setattr(own, 'p', 7)
        vars(own)
        own.go(1)
        Own.go.register(int, lambda self, given: 2) and None
        delattr(Own, 'p')
        thing.__wrapped__('a')
        setattr(thing, '__wrapped__', None)
        thing.cache_parameters()""",
        "(kept, thing.cache_info().currsize)",
    ),
    _kit(
        "functions taken apart",
        "def make():\n    n = 1\n    def get():\n        return n\n    def drop():\n        nonlocal n\n        del n\n"
        "    def put(value):\n        nonlocal n\n        n = value\n    return get, drop, put\n"
        "get, drop, put = make()\nvalue = 1\n"
        "def show(a=1):\n    return value + a",
        """get()
        drop()
        put(5)
        get.__closure__[0].cell_contents
        inspect.getclosurevars(get).nonlocals
        show()
        globals().pop('value')
        globals().update(value=3)
        setattr(show, '__defaults__', None)
        setattr(show, '__code__', get.__code__)
        setattr(show, '__code__', (lambda a=0: a).__code__)
        setattr(show, '__kwdefaults__', {'b': 1})
        str(inspect.signature(show))
        setattr(show, '__name__', 'other')
        show.__name__
        repr(show)[:14]
        setattr(show, '__signature__', None)
        value
        del globals()['show']
        callable(show)
        types.FunctionType(show.__code__, {'value': 9}, 'f', (1,))()
        setattr(show, 'extra', 1)
        show.extra
        vars(show)
        del show.extra""",
        "callable(show)",
    ),
    _kit(
        "slots deleted",
        "class Own:\n    __slots__ = ('a', 'b', '__dict__', '__weakref__')\nthing = Own()\nthing.a = 1\n"
        "class Data:\n    def __get__(self, one, of=None):\n"
        "        return 'd'\n    def __set__(self, one, value):\n        raise AttributeError",
        """thing.a
        del thing.a
        thing.b = 2
        hasattr(thing, 'b')
        Own.a.__delete__(thing)
        setattr(thing, 'c', 3)
        del thing.c
        setattr(Own, 'c', Data())
        thing.c
        thing.c = 9
        copy.copy(thing).a
        Own.a
        delattr(Own, 'a')
        object.__delattr__(thing, 'b')
        thing.__getstate__()
        pickle.dumps(thing) and None
        weakref.ref(thing)().a
        thing.__reduce_ex__(2)[2]
        dir(thing)[-1]
        setattr(Own, 'a', property(lambda self: 8))""",
        "hasattr(thing, 'a')",
    ),
    _kit(
        "mappings shown",
        "under = {'a': 1}\nthing = types.MappingProxyType(under)\nkeys = under.keys()\n"
        "chain = collections.ChainMap(under, {'b': 2})\n"
        "class Lazy(dict):\n    def __missing__(self, key):\n        return under[key]\nlazy = Lazy()",
        """thing['a']
        under.pop('a')
        under.clear()
        thing.get('z', 0)
        keys - {'a'}
        keys.mapping['a']
        chain['a']
        chain.pop('a')
        chain.popitem()
        del chain['b']
        chain.new_child()['a']
        chain.parents['a']
        lazy['a']
        '{a}'.format_map(lazy)
        under['z'] = 5
        thing | {'q': 1}
        thing == {'a': 1}
        'a' in keys
        chain.maps.clear()
        chain.maps[0] is under
        len(thing)
        next(iter(thing))""",
        "under",
    ),
)

MISUSE_KITS: Final = (*_PATHS, *_STREAMS, *_CONTROL, *_THREADING, *_PROCESS, *_REGISTRIES)
