from actors.quality_store.path_memory import PathMemory, PathReads

A, B, C, D = (("home", path) for path in "abcd")


def memory(*steps):
    paths = PathMemory()
    for at, where, n_bounces in steps:
        if n_bounces:
            paths.bounce(where, n_bounces, at)
        else:
            paths.read(where, at)
    return paths


def test_a_path_means_full_from_two_bounces_in_half_of_its_reads():
    assert not PathReads(1, 1, 0.0).means_full
    assert PathReads(2, 2, 0.0).means_full
    assert PathReads(4, 2, 0.0).means_full
    assert not PathReads(5, 2, 0.0).means_full


def test_a_bounce_anchors_a_path_and_a_read_does_not():
    paths = memory((1.0, A, 0), (2.0, A, 1), (3.0, A, 0), (4.0, A, 1), (5.0, A, 0))
    assert list(paths.rows()) == [["home", "a", 3, 2, 4.0]]
    assert paths.means_full(A, 4.0)
    assert not paths.means_full(A, 4.1)


def test_without_a_bounce_the_last_read_is_the_anchor():
    paths = memory((1.0, A, 0), (2.0, B, 0), (3.0, A, 0))
    assert list(paths.rows()) == [["home", "b", 1, 0, 2.0], ["home", "a", 2, 0, 3.0]]
    assert paths.lapsed(2.5) == (1, 0)
    assert (paths.n_live(2.5), paths.n_live(9.0)) == (1, 0)


def test_both_parts_lapse_from_the_oldest_on():
    paths = memory((1.0, A, 0), (1.0, A, 1), (2.0, B, 0), (3.0, C, 0), (4.0, C, 1))
    assert paths.lapsed(1.0) == (0, 0)
    assert paths.lapsed(2.5) == (1, 1)
    paths.forget(1, 1)
    assert list(paths.rows()) == [["home", "c", 1, 1, 4.0]]


def test_those_that_never_bounced_go_first_but_for_the_newest():
    paths = memory((1.0, A, 0), (1.0, A, 1), (2.0, B, 0), (3.0, C, 0), (4.0, D, 0))
    assert paths.overflow(4) == (0, 0)
    assert paths.overflow(3) == (1, 0)
    assert paths.overflow(2) == (2, 0)
    assert paths.overflow(1) == (2, 1)


def test_a_path_that_was_forgotten_before_it_bounced_has_as_many_reads_as_bounces():
    assert list(memory((1.0, A, 2)).rows()) == [["home", "a", 2, 2, 1.0]]


def test_a_moved_file_keeps_its_place_in_the_order_and_takes_that_of_the_name():
    paths = memory((1.0, A, 0), (2.0, B, 0), (3.0, C, 1), (4.0, D, 1))
    paths.move("home", "a", "d")
    assert [row[1] for row in paths.rows()] == ["d", "b", "c"]
    paths.move("home", "c", "e")
    assert list(paths.rows())[-1] == ["home", "e", 1, 1, 3.0]
    assert ("home", "c") not in paths
    assert ("home", "e") in paths
    assert paths.lapsed(2.0) == (1, 0)
